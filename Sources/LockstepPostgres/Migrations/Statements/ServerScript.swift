internal import Lockstep

/// A way up or down as it runs on a server: its statements, and the losses that it declares.
struct ServerScript {
    struct Statement: Equatable {
        let sql: String
        /// The line in the file where it begins.
        let line: Int
        /// What the server runs only outside a transaction.
        let outside: NontransactionalWork?
    }

    let statements: [Statement]
    let origin: ScriptOrigin
    /// What directives do, between the statements.
    let actions: [ServerAction]
    /// The tables that may lose rows, or be dropped, as their directives spell them.
    let allowedLosses: [String]
    /// Whether each statement commits by itself, and not the version as a whole.
    let runsByItself: Bool

    /// - Throws: `LockstepError.Code.migrationMalformed` with file and line, for what cannot run in a version's
    ///   transaction, and for directives that a server has no use for.
    init(_ script: MigrationScript, _ origin: ScriptOrigin) throws(LockstepError) {
        var statements: [Statement] = []
        var allowed: [String] = []
        var actions: [ServerAction] = []
        for item in script.items {
            switch item.content {
            case .sql(let sql): statements += try Self.statements(sql, from: item.line, origin)
            case .directive(.allowLoss(let table)): allowed.append(table)
            case .directive(.noTransaction): break
            case .directive(.sealing(let sealing)):
                actions.append(
                    ServerAction(
                        place: statements.count, line: item.line, work: .sealing(sealing)))
            case .directive(.plaintext(let table, let column)):
                actions.append(
                    ServerAction(
                        place: statements.count, line: item.line, work: .exposure(table: table, column: column)))
            case .directive(let directive):
                throw RefusedSQL.error(directive, origin, line: item.line)
            }
        }
        (self.statements, self.origin, allowedLosses) = (statements, origin, allowed)
        self.actions = actions
        // Tools without a word for it leave such statements alone in their file.
        let isAllOutside =
            !statements.isEmpty && statements.allSatisfy { $0.outside != nil }
        runsByItself = !script.runsInTransaction || isAllOutside
        if runsByItself, let action = actions.first {
            throw origin.malformed(
                "what is sealed or named as plaintext here needs a transaction, and this script has none",
                line: action.line, hint: "move it to a version of its own")
        }
        guard !runsByItself, let first = statements.first(where: { $0.outside != nil }) else {
            return
        }
        throw origin.malformed(
            "the server runs this statement only outside a transaction", line: first.line,
            hint: "move it to a version of its own, with `-- lockstep: no transaction`")
    }

    private static func statements(
        _ sql: String, from line: Int, _ origin: ScriptOrigin
    ) throws(LockstepError) -> [Statement] {
        let found: [StatementCutter.Statement]
        do {
            found = try StatementCutter.statements(sql)
        } catch {
            throw origin.malformed(
                "a command of psql, which begins with a backslash", line: line + error.line - 1,
                hint: "write SQL in its place: the server does not know it")
        }
        var statements: [Statement] = []
        for one in found {
            let place = line + one.line - 1
            try RefusedSQL.require(one, origin, line: place)
            do throws(NontransactionalWork.Refusal) {
                statements.append(
                    Statement(
                        sql: one.sql, line: place, outside: try NontransactionalWork(one.sql)))
            } catch {
                throw origin.malformed(error.what, line: place, hint: error.hint)
            }
        }
        return statements
    }
}
