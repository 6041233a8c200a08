internal import Lockstep

/// What is refused before anything of a version is sent to a server.
enum RefusedSQL {
    private static let transactionWords: Set<String> = [
        "begin", "commit", "end", "rollback", "abort", "savepoint", "release", "prepare",
        "start",
    ]

    /// - Throws: `LockstepError.Code.migrationMalformed` with file and line.
    static func require(
        _ statement: StatementCutter.Statement, _ origin: ScriptOrigin, line: Int
    ) throws(LockstepError) {
        let first = statement.words.first ?? ""
        if transactionWords.contains(first) {
            throw origin.malformed(
                "\(first.uppercased()) would end or begin a transaction, and the version has one already",
                line: line, hint: "remove it: a version and its record are one transaction")
        }
        if first == "copy",
            zip(statement.words, statement.words.dropFirst()).contains(where: {
                $0 == ("from", "stdin") || $0 == ("to", "stdout")
            })
        {
            throw origin.malformed(
                "COPY with \(statement.words.contains("stdin") ? "STDIN" : "STDOUT") needs rows that follow the statement in psql",
                line: line, hint: "write INSERT statements in its place")
        }
        guard let what = onlySQLite(statement.sql) else { return }
        throw origin.malformed(
            "\(what) is SQLite's, and PostgreSQL does not know it", line: line,
            hint: "write a file for this engine: NAME.postgres.sql")
    }

    /// What no server can run, for which it would say no more than that there is a syntax error.
    private static func onlySQLite(_ sql: String) -> String? {
        var reader = StatementReader(sql)
        if reader.take("pragma") { return "PRAGMA" }
        if reader.take("attach") || reader.take("detach") { return "ATTACH" }
        if reader.take("replace", "into") { return "REPLACE INTO" }
        if reader.take("insert", "or") { return "INSERT OR" }
        if reader.take("update", "or") { return "UPDATE OR" }
        guard reader.take("create") else { return nil }
        if reader.take("virtual", "table") { return "CREATE VIRTUAL TABLE" }
        _ = reader.take("temp") || reader.take("temporary")
        if reader.take("trigger"), reader.contains("begin") { return "a trigger with a body" }
        guard reader.take("table") else { return nil }
        if reader.contains("autoincrement") { return "AUTOINCREMENT" }
        return reader.endsWith("without", "rowid") ? "WITHOUT ROWID" : nil
    }

    /// The error for a directive that a server has no use for, or not yet.
    static func error(
        _ directive: Directive, _ origin: ScriptOrigin, line: Int
    ) -> LockstepError {
        let what = "`-- lockstep: \(directive.spelling)`"
        switch directive {
        case .normalise:
            return origin.malformed(
                "\(what) is for SQLite, where columns of these types are texts", line: line,
                hint: "use ALTER COLUMN … TYPE, in a file for this engine: NAME.postgres.sql")
        case .rebuild, .set, .dropColumn:
            return origin.malformed(
                "\(what) is for SQLite", line: line,
                hint: "use ALTER TABLE, in a file for this engine: NAME.postgres.sql")
        case .foreignKeysOff, .doubleQuotedTexts, .allowBrokenReferences, .allowSchemaEdits:
            return origin.malformed(
                "\(what) is for SQLite", line: line, hint: "leave it out, in a file for this engine: NAME.postgres.sql")
        case .plaintext, .noTransaction, .backfill, .sealing, .allowLoss, .allowColumnLoss, .allowChangedValues,
            .uncheckedTable, .report:
            return origin.malformed(
                "\(what) is not supported on PostgreSQL yet", line: line,
                hint: "do it by other means, in a version of its own")
        }
    }
}
