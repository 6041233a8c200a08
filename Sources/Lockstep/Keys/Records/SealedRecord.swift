/// What a fields keyring remembers of one database: how far its column registry had come, and which columns it said
/// are sealed.
///
/// The registry lies in the database, where anyone who can open it can take it out or put an older one back. The
/// keyring is out of their reach: a file that proves less than its record is refused.
public struct SealedRecord: Sendable, Hashable {
    /// A column by its names.
    public struct Column: Sendable, Hashable {
        /// The table.
        public let table: String
        /// The column of it.
        public let name: String

        /// As messages write it: `movies.title`.
        public var title: String { "\(table).\(name)" }

        /// As a keyring spells it: no two columns alike, whatever characters their names have.
        var spelling: String { "\(PercentEncodedName.encode(table)).\(PercentEncodedName.encode(name))" }

        init(_ table: String, _ name: String) { (self.table, self.name) = (table, name) }
    }

    /// The database's id, 16 bytes.
    public let database: [UInt8]
    /// How often what the database says of the dataset had been changed, 1 or more.
    public let changes: UInt64
    /// The MAC over all of it by then, 32 bytes.
    let code: [UInt8]
    /// The columns that are not plaintext, in the order of their spellings' bytes.
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

    /// Reads the line that was taken last from `text`.
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
            else { throw text.bad("a sealed column is written table.column") }
            let column = Column(table, name)
            if let last = columns.last, !(ExactText(last.spelling) < ExactText(column.spelling)) {
                throw text.bad("sealed columns stand in the order of their spellings, none twice")
            }
            columns.append(column)
        }
        self.columns = columns
    }
}
