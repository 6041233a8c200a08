/// What rules need to know of the database, as it is when a script begins.
struct LintContext {
    private let counts: [String: Int]
    private let tables: Set<String>
    private let allowed: Set<String>
    /// Words, in lower case, that definitions hold after the script, besides those of the objects they name; nil
    /// where that is not known.
    var mentionedAfter: Set<String>?

    /// - Parameters:
    ///   - copy: The schema as it will be by then, without rows.
    ///   - original: The database with its rows.
    ///   - allowed: Tables, in lower case, that may lose rows.
    init(
        _ copy: borrowing Connection, _ original: borrowing Connection, allowed: Set<String>
    ) throws {
        func names(_ connection: borrowing Connection) throws -> [String] {
            try connection.query(
                """
                SELECT name FROM main.sqlite_schema WHERE type = 'table'
                  AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                """
            ) { row in (try row[0] as String).asciiLowercased }
        }
        tables = Set(try names(copy))
        self.allowed = allowed
        var counts: [String: Int] = [:]
        for name in try names(original) where tables.contains(name) {
            counts[name] = try original.value("SELECT count(*) FROM main.\(name: name)")
        }
        self.counts = counts
    }

    /// How many rows a table holds now; 0 for one that an earlier script makes.
    func rows(_ table: String) -> Int { counts[table] ?? 0 }

    func exists(_ table: String) -> Bool { tables.contains(table) }

    /// Whether something may still refer to a table's former name when the script is through.
    func isMentionedAfter(_ name: String) -> Bool { mentionedAfter?.contains(name) ?? true }

    func isAllowed(_ table: String) -> Bool { allowed.contains(table) }
}
