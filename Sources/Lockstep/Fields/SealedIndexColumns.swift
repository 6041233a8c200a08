/// The columns of a table that hold the tokens of a sealed column's blind indexes, and the indexes over them.
struct SealedIndexColumns {
    private let shape: SealedTable
    private let requests: [(name: String, request: SealedIndex.Request)]

    init(_ shape: SealedTable, _ column: String, _ requests: [SealedIndex.Request]) {
        self.shape = shape
        self.requests = requests.map { (SealedIndex.name($0, of: column), $0) }
    }

    /// Adds the columns, which are NULL in all rows so far.
    func add(_ connection: borrowing Connection) throws {
        for (name, request) in requests {
            guard shape.column(name) == nil else {
                throw LockstepError(
                    .misuse,
                    "\(shape.name) has a column \(name), which would be that of the blind index",
                    hint: "rename it, or leave out the index")
            }
            let type = request.bits > 63 ? "BLOB" : "INTEGER"
            try connection.execute(
                "ALTER TABLE main.\(verbatim: shape.quotedName) ADD COLUMN \(name: name) \(verbatim: type)"
            )
        }
    }

    /// Makes the indexes, once the tokens are there.
    func index(_ connection: borrowing Connection) throws {
        for (name, request) in requests {
            let kind = request.bits > 63 ? "UNIQUE INDEX" : "INDEX"
            try connection.execute(
                "CREATE \(verbatim: kind) IF NOT EXISTS main.\(name: Self.indexName(name, shape)) ON \(verbatim: shape.quotedName) (\(name: name))"
            )
        }
    }

    /// Removes an index with its column.
    static func drop(
        _ name: String, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws {
        try connection.execute("DROP INDEX IF EXISTS main.\(name: indexName(name, shape))")
        try connection.execute(
            "ALTER TABLE main.\(verbatim: shape.quotedName) DROP COLUMN \(name: name)")
    }

    /// Removes all that look like a column's, for a database without a registry.
    static func drop(
        of column: String, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws {
        for candidate in shape.columns {
            let name = candidate.name
            let hasIndex = try connection.value(
                "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'index' AND name = ?)",
                indexName(name, shape), as: Bool.self)
            guard hasIndex == true, name.hasPrefix("\(column)_"), name.hasSuffix("_token") else {
                continue
            }
            try drop(name, shape, connection)
        }
    }

    private static func indexName(_ column: String, _ shape: SealedTable) -> String {
        "\(EngineTables.guardPrefix)\(shape.name)_\(column)"
    }
}
