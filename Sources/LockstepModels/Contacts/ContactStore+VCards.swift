internal import Lockstep
public import SystemPackage

extension ContactStore {
    /// Takes the contacts of a file of vCards, of versions 3.0 and 4.0 and, as far as it can be made sense of, 2.1, in
    /// one transaction. Lines end in LF or CRLF, and a byte-order mark at the beginning is passed over.
    ///
    /// - Names come from `N`, and where that has none from `FN`, which then is the first name.
    /// - Each `TEL` is a telephone, labelled by the `X-ABLabel` of its group, or by its types: `home fax`. `pref`, and
    ///   `voice` beside other types, are left out, and so is a `TEL` without a number. `tel:` before a number goes.
    /// - Of version 2.1, quoted-printable and the character sets UTF-8, ISO-8859-1 and Windows-1252 are read.
    /// - **Everything else of a card is left out**: addresses, pictures, further names and the like have no place here.
    ///
    /// A card without a name, of another version, that does not end, or whose text cannot be read is reported with
    /// the line that it begins at, and the others are imported. Keys are new; what is in the store already stays. If
    /// reading or writing fails, nothing is imported.
    /// - Parameter identity: Opens the file where it was sealed for recipients.
    /// - Throws: ``LockstepError``; a path that does not exist, a full disk, a database without the set.
    public func importVCards(
        _ path: FilePath, opening identity: ImportIdentity? = nil
    ) throws -> ImportReport {
        try writing { connection in try Self.importVCards(path, identity, connection) }
    }

    /// The same without blocking.
    /// - Throws: as its blocking form; `CancellationError`.
    public func importVCards(
        _ path: FilePath, opening identity: ImportIdentity? = nil
    ) async throws -> ImportReport {
        try await writing { connection in try Self.importVCards(path, identity, connection) }
    }

    /// Hands out all contacts, card by card, as vCards of version 4.0 that ``importVCards(_:)`` reads again unchanged,
    /// and gives how many. A label that is no type of the format is written as `X-ABLabel`. A contact without a name,
    /// as old data may have them, is written, and not imported again.
    ///
    /// All are of one moment; one at a time is in memory.
    /// - Throws: ``LockstepError``; what `write` throws.
    public func exportVCards(_ write: ([UInt8]) throws -> Void) throws -> Int {
        try reading { connection in try Self.exportVCards(connection, write) }
    }

    /// The same without blocking. `write` runs on none of the actors.
    /// - Throws: as its blocking form; `CancellationError`.
    public func exportVCards(
        _ write: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws -> Int {
        try await reading { connection in try Self.exportVCards(connection, write) }
    }

    // Opened in here: a transaction that is lost runs again, from the first line.
    private static func importVCards(
        _ path: FilePath, _ identity: ImportIdentity?, _ connection: borrowing Connection
    ) throws -> ImportReport {
        var reader = try VCardReader(path, identity)
        let table = try PhoneTable(connection)
        var report = ImportReport()
        while let item = try reader.next() {
            // Cards that are left out run no statement, which would look at the time.
            try connection.requireTime()
            switch item {
            case .contact(let contact):
                _ = try ContactWork.insert(contact, table, connection)
                report.imported += 1
            case .rejected(let line, let reason): report.reject(line, reason)
            }
        }
        return report
    }

    private static func exportVCards(
        _ connection: borrowing Connection, _ write: ([UInt8]) throws -> Void
    ) throws -> Int {
        let table = try PhoneTable(connection)
        let contacts = try connection.prepare(
            "SELECT \(Contact.columns) FROM Contacts ORDER BY idx")
        var count = 0
        try contacts.forEach { row in
            var contact = try Contact(row: row)
            contact.phones = try ContactWork.phones(of: contact.id, table, connection)
            try write(VCardWriter.bytes(of: contact))
            count += 1
        }
        return count
    }
}
