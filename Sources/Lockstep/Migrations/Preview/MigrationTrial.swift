/// Runs scripts on an empty copy of a schema.
struct MigrationTrial: ~Copyable {
    private(set) var steps: [MigrationPreview.Step] = []
    private(set) var lint: [LintFinding] = []
    private let copy: Connection
    /// Set after an error, or after code, which does not run here: the schema is then not the one that the next
    /// script expects.
    private var isOff = false

    private init(_ copy: consuming Connection) { self.copy = copy }

    static func make(copying connection: borrowing Connection) throws -> MigrationTrial {
        let copy = try Connection.inMemory()
        try SchemaCopy.run(from: connection, to: copy)
        return MigrationTrial(copy)
    }

    /// Runs a step of a plan.
    mutating func run(
        _ step: Plan.Step, of set: MigrationSet, _ original: borrowing Connection
    ) throws {
        let origin = step.origin(in: set)
        let title = origin.title
        switch try step.work(in: set) {
        case .script(let script):
            try run(
                script, version: step.version, step.name, origin, isUp: step.isUp, original)
        case .code:
            steps.append(
                MigrationPreview.Step(
                    version: step.version, name: step.name, title: title, isUp: step.isUp,
                    statements: []))
            lint.append(
                LintFinding(
                    .note, "code", title, 0, "it is written in Swift and cannot run in a preview",
                    hint: "rehearse it on a copy"))
            isOff = true
        }
        if case .up(let migration) = step, !migration.isReversible {
            lint.append(
                LintFinding(.note, "irreversible", title, 0, "it has no way down", hint: nil))
        }
    }

    /// Runs a script.
    mutating func run(
        _ script: MigrationScript, version: MigrationVersion?, _ name: String,
        _ origin: ScriptOrigin, isUp: Bool, _ original: borrowing Connection
    ) throws {
        let title = origin.title
        var context = try LintContext(copy, original, allowed: script.tablesAllowedToLoseRows)
        var statements: [MigrationPreview.Statement] = []
        if !isOff {
            do {
                try run(script, script.allowances(version, isUp: isUp), origin, &statements)
            } catch let error as LockstepError {
                lint.append(
                    LintFinding(
                        .error, "refused", title, error.context.line ?? 0, error.message,
                        hint: error.hint))
                isOff = true
            }
        }
        if !isOff, SQLTokens.hasWord("rename", in: script.text) {
            context.mentionedAfter = try mentions(besides: script.tablesAllowedBrokenReferences)
        }
        lint += MigrationLint.findings(statements, script, title, context)
        lint += try SealingLint.findings(script, title, original)
        steps.append(
            MigrationPreview.Step(
                version: version, name: name, title: title, isUp: isUp, statements: statements))
    }

    /// The words of all definitions, each without the names of the object and its table.
    /// - Parameter allowed: Tables whose definitions are ignored, because broken references are declared for
    ///   them.
    private func mentions(besides allowed: Set<SQLName>) throws -> Set<SQLName> {
        var all: Set<SQLName> = []
        _ = try copy.query(
            "SELECT name, tbl_name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL"
        ) {
            row in
            let own = [SQLName(try row[0]), SQLName(try row[1])]
            guard !allowed.contains(own[1]) else { return }
            let names = SQLCursor(try row[2] as String).tokens.map(\.name)
            all.formUnion(names.filter { !own.contains($0) })
        }
        return all
    }

    /// Returns the statements that ran, even if one fails.
    private mutating func run(
        _ script: MigrationScript, _ allowances: Allowances, _ origin: ScriptOrigin,
        _ statements: inout [MigrationPreview.Statement]
    ) throws {
        var ran: [MigrationPreview.Statement] = []
        defer { statements = ran }
        var known: GuardCache?
        var found: [LockstepError] = []
        defer {
            lint += found.map {
                LintFinding(
                    .warning, "tolerated", origin.title, 0, $0.message, hint: nil
                )
            }
        }
        var replay = ScriptReplay(script: script, origin: origin)
        replay.inspect = { sql, line in
            ran.append(MigrationPreview.Statement(line: line, sql: sql))
        }
        try replay.run(copy) { body in
            let transaction = try Transaction(.immediate, on: copy)
            try MigrationTransaction.checked(
                origin, allowances, copy, &known, report: { found.append($0) }, body)
            try transaction.commit()
        }
    }
}
