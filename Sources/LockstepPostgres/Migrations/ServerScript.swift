#if Postgres
    internal import Lockstep

    /// A way up or down as it runs on a server: its statements, and the losses that it declares.
    struct ServerScript {
        let statements: [StatementCutter.Statement]
        let origin: ScriptOrigin
        /// What directives do, between the statements.
        let actions: [ServerAction]
        /// The tables that may lose rows, or be dropped, as their directives spell them.
        let allowedLosses: [String]

        /// - Throws: `LockstepError.Code.migrationMalformed` with file and line, for what cannot run in a version's
        ///   transaction, and for directives that a server has no use for.
        init(_ script: MigrationScript, _ origin: ScriptOrigin) throws(LockstepError) {
            var statements: [StatementCutter.Statement] = []
            var allowed: [String] = []
            var actions: [ServerAction] = []
            for item in script.items {
                switch item.content {
                case .sql(let sql): statements += try Self.statements(sql, from: item.line, origin)
                case .directive(.allowLoss(let table)): allowed.append(table)
                case .directive(.sealing(let sealing)):
                    actions.append(
                        ServerAction(
                            place: statements.count, line: item.line, work: .sealing(sealing)))
                case .directive(.plaintext(let table, let column)):
                    actions.append(
                        ServerAction(
                            place: statements.count, line: item.line,
                            work: .exposure(table: table, column: column)))
                case .directive(let directive): throw Self.refused(directive, origin, item.line)
                }
            }
            (self.statements, self.origin, allowedLosses) = (statements, origin, allowed)
            self.actions = actions
        }

        private static func statements(
            _ sql: String, from line: Int, _ origin: ScriptOrigin
        ) throws(LockstepError) -> [StatementCutter.Statement] {
            let found: [StatementCutter.Statement]
            do {
                found = try StatementCutter.statements(sql)
            } catch {
                throw origin.malformed(
                    "a command of psql, which begins with a backslash", line: line + error.line - 1,
                    hint: "write SQL in its place: the server does not know it")
            }
            var statements: [StatementCutter.Statement] = []
            for one in found {
                let statement = StatementCutter.Statement(
                    sql: one.sql, line: line + one.line - 1, words: one.words)
                try requireFit(statement, origin)
                statements.append(statement)
            }
            return statements
        }

        private static let transactionWords: Set<String> = [
            "begin", "commit", "end", "rollback", "abort", "savepoint", "release", "prepare",
            "start",
        ]

        private static func requireFit(
            _ statement: StatementCutter.Statement, _ origin: ScriptOrigin
        ) throws(LockstepError) {
            let first = statement.words.first ?? ""
            if transactionWords.contains(first) {
                throw origin.malformed(
                    "\(first.uppercased()) would end or begin a transaction, and the version has one already",
                    line: statement.line,
                    hint: "remove it: a version and its record are one transaction")
            }
            if first == "copy",
                zip(statement.words, statement.words.dropFirst()).contains(where: {
                    $0 == ("from", "stdin") || $0 == ("to", "stdout")
                })
            {
                throw origin.malformed(
                    "COPY with \(statement.words.contains("stdin") ? "STDIN" : "STDOUT") needs rows that follow the statement in psql",
                    line: statement.line, hint: "write INSERT statements in its place")
            }
        }

        private static func refused(
            _ directive: Directive, _ origin: ScriptOrigin, _ line: Int
        ) -> LockstepError {
            let what = "`-- lockstep: \(directive.spelling)`"
            switch directive {
            case .rebuild, .set, .dropColumn:
                return origin.malformed(
                    "\(what) is for SQLite", line: line,
                    hint: "use ALTER TABLE, in a file for this engine: NAME.postgres.sql")
            case .foreignKeysOff, .doubleQuotedTexts, .allowBrokenReferences, .allowSchemaEdits:
                return origin.malformed(
                    "\(what) is for SQLite", line: line,
                    hint: "leave it out, in a file for this engine: NAME.postgres.sql")
            case .plaintext, .noTransaction, .backfill, .sealing, .allowLoss, .allowColumnLoss,
                .allowChangedValues, .report:
                return origin.malformed(
                    "\(what) is not supported on PostgreSQL yet", line: line,
                    hint: "do it by other means, in a version of its own")
            }
        }
    }
#endif
