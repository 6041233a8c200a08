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
    /// The statements token by token, each with the code that it brings along.
    let readers: [StatementReader]
    let origin: ScriptOrigin
    /// What directives do, between the statements.
    let actions: [ServerAction]
    /// The tables that may lose rows, or be dropped, as their directives spell them.
    let allowedLosses: [String]
    /// The columns whose values may go, as their directives spell them.
    private let allowedColumnLosses: [(table: String, column: String)]

    /// The columns whose values may become others, as their directives spell them.
    private let allowedChanges: [(table: String, column: String)]
    /// The tables whose rows are not compared, as their directives spell them.
    let uncheckedTables: [String]

    /// Whether the values of standing rows may become others.
    /// - Parameter column: The column; nil if nobody knows which.
    func allowsChangedValues(of column: String?, in table: String) -> Bool {
        allowedChanges.contains { allowed in
            SQLName(allowed.table) == SQLName(table)
                && (column.map { SQLName(allowed.column) == SQLName($0) } ?? true)
        }
    }

    /// Whether a column's values may go.
    func allowsLoss(of column: String, in table: String) -> Bool {
        allowedColumnLosses.contains {
            SQLName($0.table) == SQLName(table) && SQLName($0.column) == SQLName(column)
        }
    }

    /// Whether each statement commits by itself, and not the version as a whole.
    let runsByItself: Bool

    /// The names in statements that make a table or a column unless there is one: whether they have made it, the server
    /// alone knows.
    var madeIfMissing: Set<SQLName> {
        statements.reduce(into: []) { names, statement in
            let reader = StatementReader(statement.sql)
            if reader.contains("if", "not", "exists") { names.formUnion(reader.names) }
        }
    }

    /// - Throws: `LockstepError.Code.migrationMalformed` with file and line, for what cannot run in a version's
    ///   transaction, and for directives that a server has no use for.
    init(_ script: MigrationScript, _ origin: ScriptOrigin) throws(LockstepError) {
        var statements: [Statement] = []
        var allowed: [String] = []
        var columnLosses: [(table: String, column: String)] = []
        var changes: [(table: String, column: String)] = []
        var unchecked: [String] = []
        var actions: [ServerAction] = []
        var pieces: [ArraySlice<Piece>] = []
        for item in script.items {
            guard case .sql(let sql) = item.content else { continue }
            pieces.append(try Self.pieces(sql, from: item.line, origin)[...])
        }
        if script.runsInTransaction { Self.unwrap(&pieces) }
        var rest = pieces[...]
        for item in script.items {
            switch item.content {
            case .sql: statements += try Self.statements(rest.popFirst() ?? [], origin)
            case .directive(.allowLoss(let table)): allowed.append(table)
            case .directive(.allowColumnLoss(let table, let column)): columnLosses.append((table, column))
            case .directive(.allowChangedValues(let table, let column)): changes.append((table, column))
            case .directive(.uncheckedTable(let table)): unchecked.append(table)
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
        readers = statements.flatMap { statement in
            let reader = StatementReader(statement.sql)
            return [reader] + reader.code
        }
        self.actions = actions
        (allowedColumnLosses, allowedChanges, uncheckedTables) = (columnLosses, changes, unchecked)
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

    private typealias Piece = (statement: StatementCutter.Statement, line: Int)

    /// Other tools' files begin and end their transaction themselves: BEGIN … COMMIT around all of it says what a version
    /// is anyway.
    private static func unwrap(_ pieces: inout [ArraySlice<Piece>]) {
        guard let first = pieces.firstIndex(where: { !$0.isEmpty }),
            let last = pieces.lastIndex(where: { !$0.isEmpty }),
            let beginning = pieces[first].first?.statement.words, let end = pieces[last].last?.statement.words,
            [["begin"], ["begin", "work"], ["begin", "transaction"], ["start", "transaction"]].contains(beginning),
            [
                ["commit"], ["commit", "work"], ["commit", "transaction"], ["end"], ["end", "work"],
                ["end", "transaction"],
            ]
            .contains(end)
        else { return }
        pieces[first].removeFirst()
        pieces[last].removeLast()
    }

    private static func pieces(
        _ sql: String, from line: Int, _ origin: ScriptOrigin
    ) throws(LockstepError) -> [Piece] {
        do {
            return try StatementCutter.statements(sql).map { ($0, line + $0.line - 1) }
        } catch {
            throw origin.malformed(
                "a command of psql, which begins with a backslash", line: line + error.line - 1,
                hint: "write SQL in its place: the server does not know it")
        }
    }

    private static func statements(
        _ pieces: ArraySlice<Piece>, _ origin: ScriptOrigin
    ) throws(LockstepError) -> [Statement] {
        var statements: [Statement] = []
        for (one, place) in pieces {
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
