/// The statements of a migration that can be the reason for a failed check at its end, so that the error can name
/// a line. If several statements touched the same table, the last one is reported.
struct BlameTracker {
    struct Statement {
        /// The line in the file where it begins; 0 for code.
        let line: Int
        let sql: String
    }

    private var taking: [SQLName: Statement] = [:]
    private var orphaning: [SQLName: Statement] = [:]
    private var changing: [Statement] = []
    /// The tables of the last statement, each with the statement that was the suspect before it.
    private var last: [SQLName: Statement?] = [:]
    private var lastSQL: String?

    /// - Parameters:
    ///   - tables: Tables that it can remove rows from.
    ///   - surely: Those of them that it deletes from; a REPLACE anywhere makes suspects of the others.
    mutating func note(
        _ statement: Statement, takes tables: Set<SQLName>, surely: Set<SQLName>,
        orphans children: Set<SQLName>, changesSchema: Bool
    ) {
        last = [:]
        lastSQL = statement.sql
        let replaces = !tables.isEmpty && SQLTokens.hasWord("replace", in: statement.sql)
        for table in tables where taking[table] == nil || replaces || surely.contains(table) || changesSchema {
            last.updateValue(taking[table], forKey: table)
            taking[table] = statement
        }
        for child in children { orphaning[child] = statement }
        if changesSchema { changing.append(statement) }
    }

    /// A statement that has changed nothing, or nothing beyond its own table, is the reason for nothing there.
    mutating func settle(hasChanges: Bool, reachesOthers: Bool) {
        guard !last.isEmpty, !hasChanges || !reachesOthers else { return }
        let own = hasChanges ? lastSQL.flatMap { Self.target(of: $0) } : nil
        for (table, before) in last where table != own { taking[table] = before }
    }

    /// The table that a statement deletes from, updates or inserts into.
    private static func target(of sql: String) -> SQLName? {
        var cursor = SQLCursor(sql)
        while !cursor.isAtEnd {
            if cursor.take("delete", "from") || cursor.take("into") {
                return try? cursor.objectName()
            }
            if cursor.take("update") {
                if cursor.take("or") { _ = try? cursor.next() }
                return try? cursor.objectName()
            }
            _ = try? cursor.next()
        }
        return nil
    }

    /// The statement that can have removed rows from a table.
    func taking(_ table: SQLName) -> Statement? { taking[table] }

    /// The statement that can have removed the parents of a table's rows.
    func orphaning(_ child: SQLName) -> Statement? { orphaning[child] }

    /// The last schema change that mentions one of these objects; otherwise the last schema change.
    func changing(_ names: [SQLName]) -> Statement? {
        let mentioning = changing.last { statement in
            SQLCursor(statement.sql).tokens.contains {
                ($0.kind == .word || $0.kind == .quotedName) && names.contains($0.name)
            }
        }
        return mentioning ?? changing.last
    }
}

extension SchemaGuard {
    /// The error of a check, with its place in the script and the statement that can be the reason.
    func located(_ error: LockstepError, _ origin: ScriptOrigin) -> LockstepError {
        located(error, origin, by: suspect)
    }

    func located(_ error: LockstepError, _ origin: ScriptOrigin, by suspect: BlameTracker.Statement?) -> LockstepError {
        guard let suspect else { return origin.located(error) }
        let located = origin.located(error, line: suspect.line > 0 ? suspect.line : nil)
        return LockstepError(
            error.code, "\(located.message), by: \(SQLTokens.redact(suspect.sql))",
            advice: error.advice, context: located.context)
    }
}
