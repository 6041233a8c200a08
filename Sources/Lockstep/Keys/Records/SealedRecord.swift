/// A fields keyring's record of one database: the state of its column registry, and the columns that it lists as
/// sealed.
///
/// The registry is stored in the database, where anyone who can open the database can remove it or restore an older
/// one. They cannot change the keyring: a database that proves less than its record is refused.
public struct SealedRecord: Sendable, Hashable {
    /// The database's id, 16 bytes.
    public let database: [UInt8]
    /// The epoch of the keyring that the database is known to have recorded; 0 if none is known.
    var seen: UInt64
    /// The registry's own identity, 16 bytes; nil for a registry without one, and if nothing was sealed yet.
    let registry: [UInt8]?
    /// The number of changes to the database's registry of the dataset; 0 if nothing was sealed yet.
    public let changes: UInt64
    /// The registry's MAC at that time, 32 bytes; empty if nothing was sealed yet.
    let code: [UInt8]
    /// The lowest version of the field key that a cell may still have; 0 if it is not known.
    let lowestKey: UInt32
    /// The database that this one was forked from.
    let origin: [UInt8]?
    /// The columns that are not plaintext, in the byte order of their encoded names.
    public let columns: [Column]

    init(
        database: [UInt8], seen: UInt64 = 0, registry: [UInt8]? = nil, changes: UInt64,
        code: [UInt8], lowestKey: UInt32 = 0, origin: [UInt8]? = nil, columns: [Column]
    ) {
        (self.database, self.seen, self.registry) = (database, seen, registry)
        (self.changes, self.code) = (changes, code)
        (self.lowestKey, self.origin) = (lowestKey, origin)
        self.columns = columns.sorted { ExactText($0.spelling) < ExactText($1.spelling) }
    }

    /// The record of a database of the dataset in which nothing was sealed yet.
    package init(unsealed database: [UInt8], seen: UInt64 = 0) {
        self.init(database: database, seen: seen, changes: 0, code: [], columns: [])
    }

    /// This record with another epoch that the database has recorded.
    func withEpoch(_ epoch: UInt64) -> SealedRecord {
        var record = self
        record.seen = epoch
        return record
    }

    /// Whether something was sealed in the database.
    public var isSealed: Bool { changes > 0 }

    static let codeLength = 32
    static let registryLength = 16
}

extension SealedRecord {
    /// Its lines in a keyring.
    var lines: [String] {
        let beginning = "sealed \(Base64.encode(database))"
        let registry = registry.map { Base64.encode($0) } ?? "-"
        let code = isSealed ? Base64.encode(code) : "-"
        let end = origin.map { " from \(Base64.encode($0))" } ?? ""
        return [
            "\(beginning) seen \(seen) registry \(registry) changes \(changes) \(code)" + " lowest \(lowestKey)\(end)"
        ] + columns.flatMap(\.lines)
    }

    /// Parses the record that begins with the next line of `text`.
    init(from text: inout CanonicalText) throws(LockstepError) {
        let parts = text.fields(try text.take("a database"))
        guard parts.count == 11 || parts.count == 13, parts[0] == "sealed", parts[2] == "seen", parts[4] == "registry",
            parts[6] == "changes", parts[9] == "lowest", parts.count == 11 || parts[11] == "from"
        else { throw text.bad("the line of a database with sealed columns is malformed") }
        let changes = try text.number(parts[7], 0...UInt64(Int64.max), "the number of changes")
        let isSealed = changes > 0
        guard (parts[8] == "-") != isSealed else {
            throw text.bad("a registry's MAC must be there if there were changes, and only then")
        }
        let database = try text.base64(parts[1], KeyringDocument.databaseIDLength, "a database's id")
        let seen = try text.number(
            parts[3], 0...KeyringDocument.maximumEpoch, "the epoch seen")
        let registry = parts[5] == "-" ? nil : try text.base64(parts[5], Self.registryLength, "a registry's identity")
        let code = isSealed ? try text.base64(parts[8], Self.codeLength, "a registry's MAC") : []
        let lowest = try text.number(parts[10], 0...UInt64(UInt32.max), "the lowest key")
        let origin =
            parts.count == 13 ? try text.base64(parts[12], KeyringDocument.databaseIDLength, "an origin's id") : nil
        guard isSealed || (registry == nil && lowest == 0) else {
            throw text.bad("a database without sealed columns has no registry")
        }
        var columns: [Column] = []
        while let line = text.peek(), line.begins(with: "column ") {
            let column = try Column(from: &text)
            try Self.requireOrder(columns.last, column, text)
            columns.append(column)
        }
        guard isSealed || columns.isEmpty else {
            throw text.bad("a database without sealed columns has a column")
        }
        try Self.requireDistinct(columns, text)
        self.init(
            database: database, seen: seen, registry: registry, changes: changes, code: code,
            lowestKey: UInt32(lowest), origin: origin, columns: columns)
    }

    private static func requireOrder(
        _ last: Column?, _ next: Column, _ text: CanonicalText
    ) throws(LockstepError) {
        guard let last, !(ExactText(last.spelling) < ExactText(next.spelling)) else { return }
        throw text.bad("sealed columns must be in order, without duplicates")
    }

    private static func requireDistinct(
        _ columns: [Column], _ text: CanonicalText
    ) throws(LockstepError) {
        let numbers = columns.compactMap { $0.definition?.number }
        let identities = columns.compactMap { $0.definition?.identity }
        guard Set(numbers).count == numbers.count, Set(identities).count == identities.count else {
            throw text.bad("two columns of a database have the same number or identity")
        }
    }
}
