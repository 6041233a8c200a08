internal import Lockstep
public import SystemPackage

extension ContactStore {
    /// Imports the contacts of a file of vCards, of versions 3.0 and 4.0 and, as far as possible, 2.1, in one
    /// transaction. Lines end in LF or CRLF, and a byte-order mark at the beginning is skipped.
    ///
    /// - Names come from `N`, or if there is none from `FN`, which then becomes the first name.
    /// - Each `TEL` is a telephone, labelled by the `X-ABLabel` of its group, or by its types: `home fax`. `pref`, and
    ///   `voice` together with other types, are left out, and so is a `TEL` without a number. `tel:` before a number is
    ///   removed.
    /// - Of version 2.1, quoted-printable and the character sets UTF-8, ISO-8859-1 and Windows-1252 are read.
    /// - **Everything else of a card is left out**: addresses, pictures, further names and so on have no place here.
    ///
    /// A card without a name, of another version, without an end, or with unreadable text is reported with its first
    /// line's number, and the others are imported. Keys are new; existing content of the store stays. If reading or
    /// writing fails, nothing is imported.
    /// - Parameters:
    ///   - path: The file.
    ///   - identity: Opens the file if it is sealed for recipients.
    /// - Throws: `LockstepError.Code.notFound` and other errors of reading the file;
    ///   `LockstepError.Code.slotNotOpened` if it is sealed and `identity` does not open it;
    ///   `LockstepError.Code.malformedInput` if it is not sealed and there is an identity;
    ///   `LockstepError.Code.full`; the errors of every call, see ``ModelStore``.
    public func importVCards(
        _ path: FilePath, opening identity: ImportIdentity? = nil
    ) throws -> ImportReport {
        try writing { try Self.importVCards(path, identity, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func importVCards(
        _ path: FilePath, opening identity: ImportIdentity? = nil
    ) async throws -> ImportReport {
        try await writing { try Self.importVCards(path, identity, $0) }
    }

    /// Passes all contacts to `write`, card by card, as vCards of version 4.0 that `importVCards` reads back
    /// unchanged, and returns how many. A label that is not a type of the format is written as `X-ABLabel`. A contact
    /// without a name, which old data can contain, is written but not imported again.
    ///
    /// All are from one snapshot; one at a time is in memory.
    /// - Throws: The errors of `write`; the errors of every call, see ``ModelStore``.
    public func exportVCards(_ write: ([UInt8]) throws -> Void) throws -> Int {
        try reading { connection in try Self.exportVCards(connection, write) }
    }

    /// The same without blocking. `write` does not run on an actor.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func exportVCards(
        _ write: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws -> Int {
        try await reading { connection in try Self.exportVCards(connection, write) }
    }

    // Opened here, because a transaction that is lost runs again from the first line.
    private static func importVCards(
        _ path: FilePath, _ identity: ImportIdentity?, _ connection: borrowing Connection
    ) throws -> ImportReport {
        var reader = try VCardReader(path, identity)
        let table = try PhoneTable(connection)
        var report = ImportReport()
        while let item = try reader.next() {
            // Cards that are left out run no statement, which would check the time.
            try connection.requireTime()
            switch item {
            case .contact(let contact):
                _ = try ContactWork.insert(contact, table, connection)
                report.imported += 1
            case .rejected(let line, let problem): report.reject(line: line, problem)
            }
        }
        return report
    }

    private static func exportVCards(
        _ connection: borrowing Connection, _ write: ([UInt8]) throws -> Void
    ) throws -> Int {
        let table = try PhoneTable(connection)
        let contacts = try connection.prepare("SELECT \(Contact.columns) FROM Contacts ORDER BY idx")
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
