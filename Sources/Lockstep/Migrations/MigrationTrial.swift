/// Tries scripts on an empty copy of a schema.
struct MigrationTrial: ~Copyable {
    private(set) var steps: [MigrationPreview.Step] = []
    private(set) var lint: [LintFinding] = []
    private let copy: Connection
    /// After an error, or code that is not run here, the schema is not what the next script expects.
    private var isOff = false

    private init(_ copy: consuming Connection) { self.copy = copy }

    static func make(copying connection: borrowing Connection) throws -> MigrationTrial {
        let copy = try Connection.inMemory()
        try SchemaCopy.run(from: connection, to: copy)
        return MigrationTrial(copy)
    }

    /// Tries a step of a plan.
    mutating func run(
        _ step: Plan.Step, of set: MigrationSet, _ original: borrowing Connection
    ) throws {
        let title = step.title(in: set)
        switch try step.work(in: set) {
        case .script(let script):
            try run(
                script, version: step.version, step.name, title, isUp: step.isUp, original)
        case .code:
            steps.append(
                MigrationPreview.Step(
                    version: step.version, name: step.name, title: title, isUp: step.isUp,
                    statements: []))
            lint.append(
                LintFinding(
                    .note, "code", title, 0, "it is written in Swift and cannot be tried here",
                    hint: "rehearse it on a copy"))
            isOff = true
        }
        if case .up(let migration) = step, !migration.isReversible {
            lint.append(
                LintFinding(.note, "irreversible", title, 0, "it has no way down", hint: nil))
        }
    }

    /// Tries a script.
    mutating func run(
        _ script: MigrationScript, version: MigrationVersion?, _ name: String, _ title: String,
        isUp: Bool, _ original: borrowing Connection
    ) throws {
        let before = try LintContext(copy, original, allowed: script.tablesAllowedToLoseRows)
        var statements: [MigrationPreview.Statement] = []
        if !isOff {
            do {
                try run(script, title, &statements)
            } catch let error as LockstepError {
                lint.append(
                    LintFinding(.error, "refused", title, 0, error.message, hint: error.hint))
                isOff = true
            }
        }
        lint += MigrationLint.findings(statements, script, title, before)
        steps.append(
            MigrationPreview.Step(
                version: version, name: name, title: title, isUp: isUp, statements: statements))
    }

    /// Gives the statements that ran, also where one fails.
    private func run(
        _ script: MigrationScript, _ title: String,
        _ statements: inout [MigrationPreview.Statement]
    ) throws {
        var ran: [MigrationPreview.Statement] = []
        defer { statements = ran }
        var known: KnownState?
        func tried(_ body: () throws -> Void) throws {
            try copy.with(rights: .engine) { try copy.run(.beginImmediate) }
            do {
                try MigrationTransaction.checked(
                    title, allowed: script.tablesAllowedToLoseRows, copy, &known, body)
                try copy.run(.commit)
            } catch {
                if copy.isInTransaction { try copy.run(.rollBack) }
                throw error
            }
        }
        try MigrationTransaction.withForeignKeys(off: script.needsForeignKeysOff, copy) {
            for segment in try script.segments(title) {
                switch segment {
                case .transaction(let part):
                    var runner = ScriptRunner(script: part, fileName: title, observe: { _ in })
                    runner.inspect = { sql, line in
                        ran.append(MigrationPreview.Statement(line: line, sql: sql))
                    }
                    try tried { _ = try runner.run(copy) }
                case .backfill(let backfill):
                    try tried { try backfill.check(title, script.tablesAllowedToLoseRows, copy) }
                    ran.append(
                        MigrationPreview.Statement(line: backfill.line, sql: backfill.sql))
                case .bare(let sql, let line):
                    var position = 0
                    while var bare = try BareStatements(
                        sql, from: position, line: line, segment: 0, title)
                    {
                        if bare.runsAlone {
                            try bare.runAlone(copy)
                        } else {
                            try tried { try bare.run(copy) { _ in } }
                        }
                        ran.append(
                            MigrationPreview.Statement(line: bare.line, sql: bare.text))
                        position = bare.end
                    }
                }
            }
        }
    }
}
