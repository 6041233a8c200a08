/// The statements of a migration that can be the reason for a failed check at its end, so that the error can name
/// a line. If several statements touched the same table, the last one is reported.
struct BlameTracker {
    struct Statement {
        /// The line in the file where it begins; 0 for code.
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

    /// The statement that can have removed rows from a table.
    func taking(_ table: String) -> Statement? { taking[table] }

    /// The statement that can have removed the parents of a table's rows.
    func orphaning(_ child: String) -> Statement? { orphaning[child] }

    /// The last schema change that mentions one of these objects; otherwise the last schema change.
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
    /// The error of a check, with its place in the script and the statement that can be the reason.
    func located(_ error: LockstepError, _ origin: ScriptOrigin) -> LockstepError {
        guard let suspect else { return origin.located(error) }
        let located = origin.located(error, line: suspect.line > 0 ? suspect.line : nil)
        return LockstepError(
            error.code, "\(located.message), by: \(SQLTokens.redact(suspect.sql))",
            hint: error.hint, context: located.context)
    }
}
