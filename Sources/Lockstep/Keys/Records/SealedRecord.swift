/// A fields keyring's record of one database: the state of its column registry, and the columns that it lists as
/// sealed.
///
/// The registry is stored in the database, where anyone who can open the database can remove it or restore an older
/// one. They cannot change the keyring: a database that proves less than its record is refused.
public struct SealedRecord: Sendable, Hashable {
    /// A column, identified by its table and name.
    public struct Column: Sendable, Hashable {
        /// The table's name.
        public let table: String
        /// The column's name.
        public let name: String

        /// The column's name in messages: `movies.title`.
        public var title: String { "\(table).\(name)" }

        /// The column's name in a keyring: unique for every column, whatever characters the names contain.
        var spelling: String {
            "\(PercentEncodedName.encode(table)).\(PercentEncodedName.encode(name))"
        }

        init(_ table: String, _ name: String) { (self.table, self.name) = (table, name) }
    }

    /// The database's id, 16 bytes.
    public let database: [UInt8]
    /// The number of changes to the database's registry of the dataset, 1 or more.
    public let changes: UInt64
    /// The registry's MAC at that time, 32 bytes.
    let code: [UInt8]
    /// The columns that are not plaintext, in the byte order of their encoded names.
    public let columns: [Column]

    init(database: [UInt8], changes: UInt64, code: [UInt8], columns: [Column]) {
        (self.database, self.changes, self.code) = (database, changes, code)
        self.columns = columns.sorted { ExactText($0.spelling) < ExactText($1.spelling) }
    }

    static let codeLength = 32

    /// Its line in a keyring.
    var line: String {
        let names = columns.map { " \($0.spelling)" }
        return "sealed \(Base64.encode(database)) changes \(changes) \(Base64.encode(code))"
            + names.joined()
    }

    /// Parses the line that was last taken from `text`.
    init(_ line: Substring, of text: CanonicalText) throws(LockstepError) {
        let parts = text.fields(line)
        guard parts.count >= 5, parts[0] == "sealed", parts[2] == "changes" else {
            throw text.bad("the line of a database with sealed columns is malformed")
        }
        database = try text.base64(parts[1], KeyringDocument.databaseIDLength, "a database's id")
        changes = try text.number(parts[3], 1...UInt64(Int64.max), "the number of changes")
        code = try text.base64(parts[4], Self.codeLength, "a registry's MAC")
        var columns: [Column] = []
        for part in parts[5...] {
            let names = part.split(separator: ".", omittingEmptySubsequences: false)
            guard names.count == 2, let table = PercentEncodedName.decode(names[0]),
                let name = PercentEncodedName.decode(names[1]), !table.isEmpty, !name.isEmpty
            else { throw text.bad("a sealed column must be written as table.column") }
            let column = Column(table, name)
            if let last = columns.last, !(ExactText(last.spelling) < ExactText(column.spelling)) {
                throw text.bad("sealed columns must be in order, without duplicates")
            }
            columns.append(column)
        }
        self.columns = columns
    }
}
