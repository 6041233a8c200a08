/// Runs scripts on an empty copy of a schema.
struct MigrationTrial: ~Copyable {
    private(set) var steps: [MigrationPreview.Step] = []
    private(set) var lint: [LintFinding] = []
    /// The declarations that the scripts lack.
    private(set) var declarations: [MigrationPreview.Declaration] = []
    /// References without a parent that a script leaves, by the places of their findings in ``lint``.
    private var broken: [(place: Int, reference: Broken)] = []

    private struct Broken {
        let child: SQLName
        let declaration: MigrationPreview.Declaration
    }
    /// The error of the first script that cannot run.
    private var refusal: LockstepError?
    private let copy: Connection
    /// Set after an error, or after code, which does not run here: the schema is then not the one that the next
    /// script expects.
    private var isOff = false

    private init(_ copy: consuming Connection) { self.copy = copy }

    /// Requires that a preview of the step finds no error.
    /// - Throws: The error; ``LockstepError/Code/rowsLost`` or ``LockstepError/Code/migrationFailed`` for an error that a
    ///   lint rule found.
    static func require(
        _ step: Plan.Step, of set: MigrationSet, on connection: borrowing Connection
    ) throws {
        var trial = try make(copying: connection)
        try trial.run(step, of: set, connection)
        if let refusal = trial.refusal { throw refusal }
        guard let finding = trial.lint.first(where: { $0.level == .error }) else { return }
        let error = LockstepError(finding.kind.refusal, finding.message, advice: finding.advice)
        throw step.origin(in: set).located(error, line: finding.line)
    }

    static func make(copying connection: borrowing Connection) throws -> MigrationTrial {
        // A script can run without end on a copy without rows too.
        var options = ConnectionOptions()
        options.deadline = connection.core.timer?.deadline
        options.progress = connection.core.hooks?.progress
        let copy = try Connection.inMemory(options)
        try SchemaCopy.run(from: connection, to: copy)
        return MigrationTrial(copy)
    }

    /// Runs a step of a plan.
    /// - Parameter begun: Its record, if a part of it has run.
    mutating func run(
        _ step: Plan.Step, of set: MigrationSet, begun: UnfinishedMigration? = nil,
        _ original: borrowing Connection
    ) throws {
        let origin = step.origin(in: set)
        let title = origin.title
        switch try step.work(in: set) {
        case .script(let script):
            var start = CompletedPart.Position()
            if let begun {
                // A row of an earlier build has no digest, and its file is unchanged.
                start =
                    try CompletedPart(script.segments(origin)).position(of: begun)
                    ?? .init(segment: begun.segment, cursor: begun.cursor)
            }
            try run(
                script, version: step.version, step.name, origin, isUp: step.isUp, from: start,
                original)
        case .code:
            steps.append(
                MigrationPreview.Step(
                    version: step.version, name: step.name, title: title, isUp: step.isUp,
                    statements: []))
            lint.append(
                LintFinding(
                    .note, .code, title, 0, "it is written in Swift and cannot run in a preview",
                    hint: "rehearse it on a copy"))
            isOff = true
        }
        if case .up(let migration) = step, !migration.isReversible {
            lint.append(
                LintFinding(.note, .irreversible, title, 0, "it has no way down", hint: nil))
        }
    }

    /// Runs a script.
    mutating func run(
        _ script: MigrationScript, version: MigrationVersion?, _ name: String,
        _ origin: ScriptOrigin, isUp: Bool, from start: CompletedPart.Position = .init(),
        _ original: borrowing Connection
    ) throws {
        let title = origin.title
        var context = try LintContext(copy, original, script)
        var statements: [MigrationPreview.Statement] = []
        if !isOff {
            do {
                try runDeclaring(
                    script, version, isUp: isUp, origin, from: start, &statements, original)
            } catch let error as LockstepError {
                let isOver = copy.core.timer?.isOver == true && error.code == .limitExceeded
                // How far it came says nothing of the script.
                guard !isOver, !error.isOfMemory, error.code != .interrupted else { throw error }
                try add(error, origin, original)
                isOff = true
            }
        }
        if !isOff, SQLTokens.hasWord("rename", in: script.text) {
            context.mentionedAfter = try mentions(besides: script.tablesAllowedBrokenReferences)
        }
        let findings = MigrationLint.findings(statements, script, title, context)
        for finding in findings { need(finding.declaration, version, isUp: isUp) }
        lint += findings
        // A column whose change has begun holds cells.
        if !start.isSealing { lint += try SealingLint.findings(script, title, original) }
        steps.append(
            MigrationPreview.Step(
                version: version, name: name, title: title, isUp: isUp, statements: statements))
    }

    /// Runs a script. Where only a declaration is missing it is tried again as if it were there, so that one preview finds
    /// all of them.
    private mutating func runDeclaring(
        _ script: MigrationScript, _ version: MigrationVersion?, isUp: Bool, _ origin: ScriptOrigin,
        from start: CompletedPart.Position, _ statements: inout [MigrationPreview.Statement],
        _ original: borrowing Connection
    ) throws {
        var allowances = script.allowances(version, isUp: isUp)
        // What has committed would run twice.
        let isOne = script.isOneTransaction
        while true {
            do {
                return try run(script, allowances, origin, from: start, &statements)
            } catch let error as LockstepError
                where isOne && version != nil && error.code == .foreignKeysBroken
            {
                guard let table = error.context.table,
                    allowances.brokenReferences.insert(SQLName(table)).inserted
                else { throw error }
                try add(error, origin, original)
                let needed = need(
                    .allowBrokenReferences(table: table), version, isUp: isUp)
                if let needed, error.context.missing?.kind == .parent {
                    broken.append(
                        (lint.count - 1, Broken(child: SQLName(table), declaration: needed)))
                }
            }
        }
    }

    /// References without a parent that a later script has repaired need no declaration: they are judged at the end of the
    /// run.
    /// - Returns: The children of these references.
    @discardableResult
    mutating func judgeReferences() throws -> Set<SQLName> {
        guard !broken.isEmpty, !isOff else { return [] }
        var keys = ForeignKeys()
        let catalogue = try SchemaCatalogue(copy.core)
        _ = try keys.update(.init(added: catalogue.objects), copy.core)
        var repaired: Set<SQLName> = []
        for (place, reference) in broken where !keys.isBroken(reference.child) {
            repaired.insert(reference.child)
            declarations.removeAll { $0 == reference.declaration }
            let finding = lint[place]
            lint[place] = LintFinding(
                .note, .tolerated, finding.file, finding.line,
                finding.message + ", until a later version of this run repairs it", advice: nil,
                isLocated: finding.isLocated)
        }
        return repaired
    }

    /// Notes that a version needs a declaration; one of a repeatable migration can only stand in its file.
    @discardableResult
    private mutating func need(
        _ directive: Directive?, _ version: MigrationVersion?, isUp: Bool
    ) -> MigrationPreview.Declaration? {
        guard let directive, let version else { return nil }
        let one = MigrationPreview.Declaration(
            version: version, isUp: isUp, directive: directive.spelling)
        if !declarations.contains(one) { declarations.append(one) }
        return one
    }

    /// The finding for an error of the script. The copy has no rows, and none of the functions that a program adds: what
    /// may come from that alone is no reason to refuse the script.
    private mutating func add(
        _ error: LockstepError, _ origin: ScriptOrigin, _ original: borrowing Connection
    ) throws {
        let title = origin.title
        let line = error.context.line ?? 0
        guard try !Self.dependsOnRows(error) && !Self.isAdded(error, to: original) else {
            lint.append(
                LintFinding(
                    .warning, .notTried, title, line,
                    "an empty copy of the schema cannot run it: \(error.message)",
                    hint: "rehearse it on a copy with the rows"))
            return
        }
        if refusal == nil { refusal = error }
        lint.append(
            LintFinding(
                .error, .refused, title, line, error.message, advice: error.advice,
                isLocated: origin.hasLocated(error)))
    }

    private static func dependsOnRows(_ error: LockstepError) -> Bool {
        if error.code == .foreignKeysBroken {
            return error.context.missing?.kind != .parent
        }
        // 19 is SQLITE_CONSTRAINT, the primary code of all constraint errors.
        return error.sqliteCode.map { $0 & 0xFF == 19 } ?? false
    }

    /// Whether the error names a function, module or collation that only the original connection has.
    private static func isAdded(
        _ error: LockstepError, to original: borrowing Connection
    ) throws -> Bool {
        guard let missing = error.context.missing else { return false }
        let list: String
        switch missing.kind {
        case .function: list = "function"
        case .module: list = "module"
        case .collation: list = "collation"
        default: return false
        }
        return try original.value(
            """
            SELECT EXISTS (SELECT 1 FROM pragma_\(verbatim: list)_list
                WHERE name = \(missing.name) COLLATE NOCASE)
            """, as: Bool.self) ?? false
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
        from start: CompletedPart.Position, _ statements: inout [MigrationPreview.Statement]
    ) throws {
        var ran: [MigrationPreview.Statement] = []
        defer { statements = ran }
        var found: [LockstepError] = []
        defer {
            lint += found.map {
                LintFinding(
                    .warning, .tolerated, origin.title, 0, $0.message, advice: nil,
                    isLocated: origin.hasLocated($0)
                )
            }
        }
        var replay = ScriptReplay(script: script, origin: origin, start: start)
        replay.inspect = { sql, line in
            ran.append(MigrationPreview.Statement(line: line, sql: sql))
        }
        try replay.run(allowances, on: copy) { found.append($0) }
    }
}
