/// The state of the database at the start of a script, for the lint rules.
struct LintContext {
    private let counts: [SQLName: Int]
    private let tables: Set<SQLName>
    private let allowed: Set<SQLName>
    /// The words in the definitions after the script, except each object's own name; nil if
    /// unknown.
    var mentionedAfter: Set<SQLName>?
    /// The tables that lose rows without a declaration; nil if only the number of their rows is known.
    var losing: Set<SQLName>?
    /// Tables whose rows stand in others before they are dropped.
    var moved: Set<SQLName> = []

    /// - Parameters:
    ///   - copy: The schema at that point, without rows.
    ///   - original: The database with its rows.
    ///   - script: The script: the rows of tables that it does not name are not counted.
    init(
        _ copy: borrowing Connection, _ original: borrowing Connection, _ script: MigrationScript
    ) throws {
        func names(_ connection: borrowing Connection) throws -> [SQLName] {
            try connection.query(
                """
                SELECT name FROM main.sqlite_schema WHERE type = 'table'
                  AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                """
            ) { row in try row[0] as SQLName }
        }
        tables = Set(try names(copy))
        allowed = script.tablesAllowedToLoseRows
        let mentioned = Set(SQLCursor(script.text).tokens.map(\.name))
        var counts: [SQLName: Int] = [:]
        for name in try names(original) where tables.contains(name) && mentioned.contains(name) {
            counts[name] = try original.value("SELECT count(*) FROM main.\(name: name.spelling)")
        }
        self.counts = counts
    }

    /// The current number of rows of a table; 0 for a table that an earlier script creates.
    func rows(_ table: String) -> Int { counts[SQLName(table)] ?? 0 }

    func exists(_ table: String) -> Bool { tables.contains(SQLName(table)) }

    /// Whether a definition can still refer to a table's former name after the script.
    func isMentionedAfter(_ name: String) -> Bool {
        mentionedAfter?.contains(SQLName(name)) ?? true
    }

    /// Whether it is an error that a table loses rows.
    func isLost(_ table: String) -> Bool {
        let table = SQLName(table)
        if let losing { return losing.contains(table) }
        return !allowed.contains(table) && !moved.contains(table)
    }
}
