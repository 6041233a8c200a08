/// The statements of a migration that may be why it does not pass the checks at its end, so that the error can
/// say where to look. Several may have touched the same table: the last one is told.
struct BlameTracker {
    struct Statement {
        /// Where it begins in its file; 0 for code.
        let line: Int
        let sql: String
    }

    private var taking: [String: Statement] = [:]
    private var orphaning: [String: Statement] = [:]
    private var changing: [Statement] = []

    mutating func note(
        _ statement: Statement, takes tables: Set<String>, orphans children: Set<String>,
        changesSchema: Bool
    ) {
        for table in tables { taking[table] = statement }
        for child in children { orphaning[child] = statement }
        if changesSchema { changing.append(statement) }
    }

    /// What may have taken rows from a table.
    func taking(_ table: String) -> Statement? { taking[table] }

    /// What may have taken the parents of a table's rows.
    func orphaning(_ child: String) -> Statement? { orphaning[child] }

    /// What has changed the schema and speaks of one of these objects; otherwise what has changed it last.
    func changing(_ names: [String]) -> Statement? {
        let names = Set(names.map(\.asciiLowercased))
        return changing.last { Self.mentions(names, $0.sql) } ?? changing.last
    }

    private static func mentions(_ names: Set<String>, _ sql: String) -> Bool {
        let bytes = Array(sql.utf8)
        return SQLTokens(bytes, from: 0).contains { token in
            guard token.kind == .word || token.kind == .quotedName else { return false }
            let text = String(decoding: bytes[token.range], as: UTF8.self)
            return names.contains(SQLTokens.unquote(text).asciiLowercased)
        }
    }
}

extension SchemaGuard {
    /// What a check has found, told with its place in the file `title` and the statement that may be why.
    func located(_ error: LockstepError, _ title: String) -> LockstepError {
        guard let suspect else { return error.located(title) }
        let place = suspect.line > 0 ? "\(title):\(suspect.line)" : title
        return LockstepError(
            error.code, "\(place): \(error.message), by: \(SQLTokens.redact(suspect.sql))",
            hint: error.hint, sqliteCode: error.sqliteCode)
    }
}
