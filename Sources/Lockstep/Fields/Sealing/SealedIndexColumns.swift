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

    /// Makes the indexes, once the tokens are there, but for those that a run before has made.
    /// - Parameter column: The sealed column, which has its guards.
    func index(for column: String, _ connection: borrowing Connection) throws {
        let base =
            try SealingGuard.all(of: column, shape.name, connection).first?.base
            ?? "\(EngineTables.guardPrefix)\(shape.name)_\(column)"
        for (name, request) in requests
        where try Self.indexes(over: name, shape, connection).isEmpty {
            let kind = request.bits > 63 ? "UNIQUE INDEX" : "INDEX"
            try connection.execute(
                "CREATE \(verbatim: kind) main.\(name: "\(base)_\(Self.ending(request))") ON \(verbatim: shape.quotedName) (\(name: name))"
            )
        }
    }

    /// Removes an index with its column.
    static func drop(
        _ name: String, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws {
        for index in try indexes(over: name, shape, connection) {
            try connection.execute("DROP INDEX main.\(name: index)")
        }
        try connection.execute(
            "ALTER TABLE main.\(verbatim: shape.quotedName) DROP COLUMN \(name: name)")
    }

    /// Removes all of a column, for a database without a registry.
    /// - Parameter base: What the names of the column's guards begin with.
    static func drop(
        base: String, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws {
        for candidate in shape.columns {
            let isOfColumn = try indexes(over: candidate.name, shape, connection).contains {
                isEnding($0.dropFirst(base.count + 1)) && $0.hasPrefix("\(base)_")
            }
            if isOfColumn { try drop(candidate.name, shape, connection) }
        }
    }

    /// What the name of an index ends in, behind its base.
    static func ending(_ request: SealedIndex.Request) -> String {
        SealedIndex.ending(request.normaliser)
    }

    /// Whether the names of one column are meant, and not of another that is called almost the same.
    private static func isEnding(_ text: Substring) -> Bool {
        guard text.hasSuffix("_token") else { return false }
        let spelling = text.dropLast("_token".count).replacing("_", with: "-")
        guard let normaliser = try? Normaliser(String(spelling)) else { return false }
        return SealedIndex.ending(normaliser) == text
    }

    /// The engine's indexes over this column alone, whatever table and column were called when they were made.
    private static func indexes(
        over column: String, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws -> [String] {
        try connection.query(
            """
            SELECT l.name FROM pragma_index_list(?, 'main') AS l
            WHERE substr(l.name, 1, ?) = ?
                AND (SELECT count(*) FROM pragma_index_info(l.name, 'main')) = 1
                AND (SELECT name FROM pragma_index_info(l.name, 'main')) = ? COLLATE NOCASE
            """, shape.name, EngineTables.guardPrefix.utf8.count, EngineTables.guardPrefix, column
        ) { row in try row[0] as String }
    }
}
