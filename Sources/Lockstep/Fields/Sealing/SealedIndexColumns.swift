/// The columns of a table that hold the tokens of a sealed column's blind indexes, and the indexes over them.
struct SealedIndexColumns {
    private let shape: SealedTable
    private let requests: [(name: String, request: SealedIndex.Request)]

    init(_ shape: SealedTable, _ column: String, _ requests: [SealedIndex.Request]) {
        self.shape = shape
        self.requests = requests.map { (SealedIndex.name($0, of: column), $0) }
    }

    /// Adds the columns, which are still NULL in all rows.
    /// - Parameter isShapeAlone: Whether columns that the engine has made stay, as a column that is sealed already has them.
    func add(_ connection: borrowing Connection, isShapeAlone: Bool = false) throws {
        for (name, request) in requests {
            if isShapeAlone, try !Self.indexes(over: name, shape, connection).isEmpty { continue }
            guard shape.column(name) == nil else {
                throw LockstepError(
                    .misuse, "\(shape.name) already has a column \(name), the name of the blind index's token column",
                    hint: "rename the column, or omit the index")
            }
            let type = request.bits > 63 ? "BLOB" : "INTEGER"
            try connection.execute(
                "ALTER TABLE main.\(verbatim: shape.quotedName) ADD COLUMN \(name: name) \(verbatim: type)")
        }
    }

    /// Creates the indexes once the tokens exist, except those that a previous run created.
    /// - Parameter column: The sealed column, which must have its guards.
    func index(for column: String, _ connection: borrowing Connection) throws {
        let base =
            try SealingGuard.all(of: column, shape.name, connection).first?.base
            ?? "\(EngineTables.guardPrefix)\(shape.name)_\(column)"
        for (name, request) in requests where try Self.indexes(over: name, shape, connection).isEmpty {
            let kind = request.bits > 63 ? "UNIQUE INDEX" : "INDEX"
            try connection.execute(
                "CREATE \(verbatim: kind) main.\(name: "\(base)_\(Self.ending(request))") ON \(verbatim: shape.quotedName) (\(name: name))"
            )
        }
    }

    /// Drops an index together with its column.
    static func drop(
        _ name: String, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws {
        for index in try indexes(over: name, shape, connection) {
            try connection.execute("DROP INDEX main.\(name: index)")
        }
        try connection.execute("ALTER TABLE main.\(verbatim: shape.quotedName) DROP COLUMN \(name: name)")
    }

    /// Drops all token columns of a column, for a database without a registry.
    /// - Parameter base: The prefix of the names of the column's guards.
    static func drop(
        base: String, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws {
        for candidate in shape.columns {
            let isOfColumn = try indexes(over: candidate.name, shape, connection).contains {
                $0.rest(after: "\(base)_").map(isEnding) == true
            }
            if isOfColumn { try drop(candidate.name, shape, connection) }
        }
    }

    /// The suffix of an index's name, after its base.
    static func ending(_ request: SealedIndex.Request) -> String {
        SealedIndex.ending(request.normaliser)
    }

    /// Whether this is the suffix of an index's name, and not part of a similar column's name.
    private static func isEnding(_ text: Substring) -> Bool {
        guard text.ends(with: "_token") else { return false }
        let spelling = text.dropLast("_token".count).replacing("_", with: "-")
        guard let normaliser = try? Normaliser(String(spelling)) else { return false }
        return SealedIndex.ending(normaliser) == text
    }

    /// The engine's indexes over only this column, whatever the names of table and column were at their creation.
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
