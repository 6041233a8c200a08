/// Runs scripts on a copy of a database, without its rows or with them.
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
    private let trial: TrialCopy
    /// What the checks of one script know for the next one.
    private var known: GuardCache?
    private var movedBefore: Set<SQLName> = []
    /// What the script that ran last has done to each table.
    private var effects: [TableEffects] = []
    private var earlier: EarlierFills?
    /// Set after an error, or after code, which does not run here: the schema is then not the one that the next
    /// script expects.
    private var isOff = false

    private init(_ trial: consuming TrialCopy) { self.trial = trial }

    /// Requires that a preview of the step finds no error.
    /// - Parameter moved: The tables whose rows the run has put into others.
    /// - Throws: The error; ``LockstepError/Code/rowsLost`` or ``LockstepError/Code/migrationFailed`` for an error that
    ///   a lint rule found.
    static func require(
        _ step: Plan.Step, of set: MigrationSet, on connection: borrowing Connection, moved: Set<SQLName>
    ) throws {
        var trial = try make(copying: connection)
        trial.movedBefore = moved
        try trial.run(step, of: set, connection)
        if let refusal = trial.refusal { throw refusal }
        guard let finding = trial.lint.first(where: { $0.level == .error }) else { return }
        let error = LockstepError(finding.kind.refusal, finding.message, advice: finding.advice)
        throw step.origin(in: set).located(error, line: finding.line)
    }

    /// A trial on an empty copy of the schema.
    static func make(copying connection: borrowing Connection) throws -> MigrationTrial {
        try MigrationTrial(.ofSchema(of: connection))
    }

    /// A trial of these scripts: with the rows where the outcome depends on them.
    static func make(
        of scripts: [MigrationScript], copying connection: borrowing Connection
    ) throws -> MigrationTrial {
        // A copy has no keys, and what the cells of a column contain is unknown.
        guard !scripts.contains(where: \.unseals), try RowDependence.exists(in: scripts, connection)
        else {
            return try make(copying: connection)
        }
        do {
            return try MigrationTrial(.ofAll(connection))
        } catch let error as LockstepError where error.isOfPlace {
            var trial = try make(copying: connection)
            trial.lint.append(
                LintFinding(
                    .note, .notTried, "\(connection.path)", 0,
                    "the rows are not tried, because there is no place for a copy: \(error.message)",
                    hint: "rehearse it on a copy elsewhere"))
            return trial
        }
    }

    /// Runs a step of a plan.
    /// - Parameter begun: Its record, if a part of it has run.
    mutating func run(
        _ step: Plan.Step, of set: MigrationSet, begun: UnfinishedMigration? = nil, _ original: borrowing Connection
    ) throws {
        let origin = step.origin(in: set)
        let title = origin.title
        earlier = earlier ?? EarlierFills(set)
        switch try step.work(in: set) {
        case .script(let script):
            var start = CompletedPart.Position()
            if let begun {
                // A row of an earlier build has no digest, and its file is unchanged.
                start =
                    try CompletedPart(script.segments(origin)).position(of: begun)
                    ?? .init(segment: begun.segment, cursor: begun.cursor)
            }
            try run(script, version: step.version, step.name, origin, isUp: step.isUp, from: start, original)
        case .code:
            steps.append(
                MigrationPreview.Step(
                    version: step.version, name: step.name, title: title, isUp: step.isUp, statements: []))
            lint.append(
                LintFinding(
                    .note, .code, title, 0, "it is written in Swift and cannot run in a preview",
                    hint: "rehearse it on a copy"))
            isOff = true
        }
        if case .up(let migration) = step, !migration.isReversible {
            lint.append(LintFinding(.note, .irreversible, title, 0, "it has no way down", hint: nil))
        }
    }

    /// Runs a script.
    mutating func run(
        _ script: MigrationScript, version: MigrationVersion?, _ name: String, _ origin: ScriptOrigin, isUp: Bool,
        from start: CompletedPart.Position = .init(), _ original: borrowing Connection
    ) throws {
        let title = origin.title
        var context =
            try trial.hasRows
            ? LintContext(trial.connection, trial.connection, script) : LintContext(trial.connection, original, script)
        var statements: [MigrationPreview.Statement] = []
        var missing: [Missing] = []
        effects = []
        if !isOff {
            do {
                missing = try runDeclaring(
                    script, version, isUp: isUp, origin, from: start, &statements)
            } catch let error as LockstepError {
                let isOver = trial.connection.core.timer?.isOver == true && error.code == .limitExceeded
                // How far it came says nothing of the script.
                guard !isOver, !error.isOfMemory, error.code != .interrupted else { throw error }
                try add(error, origin, original)
                isOff = true
            }
        }
        if !isOff, SQLTokens.hasWord("rename", in: script.text) {
            context.mentionedAfter = try mentions(besides: script.tablesAllowedBrokenReferences)
        }
        if trial.hasRows, !isOff {
            // What these rules guess from the number of rows, the checks know.
            context.losing = Set(
                missing.compactMap {
                    if case .allowLoss(let table) = $0.directive { SQLName(table) } else { nil }
                })
        } else {
            context.moved = moved
        }
        let findings =
            MigrationLint.findings(statements, script, title, context)
            + PitfallLint.findings(statements, title, context)
        let known = Set(findings.compactMap { $0.declaration.map { ExactText($0.spelling) } })
        for one in missing where !known.contains(ExactText(one.directive.spelling)) {
            try add(one, version, isUp: isUp, origin, original)
        }
        for finding in findings { need(finding.declaration, version, isUp: isUp) }
        lint += findings
        // A column whose change has begun holds cells.
        if !start.isSealing { lint += try SealingLint.findings(script, title, original) }
        steps.append(
            MigrationPreview.Step(
                version: version, name: name, title: title, isUp: isUp, statements: statements, effects: effects))
    }

    /// Something that a script needs and does not declare.
    private struct Missing {
        let directive: Directive
        let error: LockstepError
    }

    /// The tables whose rows earlier scripts, or this one, have put into others.
    private var moved: Set<SQLName> { movedBefore.union(known?.movedTables ?? []) }

    /// Runs a script as if it declared what it lacks, so that one preview finds all of it.
    private mutating func runDeclaring(
        _ script: MigrationScript, _ version: MigrationVersion?, isUp: Bool, _ origin: ScriptOrigin,
        from start: CompletedPart.Position, _ statements: inout [MigrationPreview.Statement]
    ) throws -> [Missing] {
        var allowances = script.allowances(version, isUp: isUp)
        if let earlier, let version {
            allowances.earlier = .init(fills: earlier, version: version, script: script)
        }
        // What has committed would run twice.
        let isOne = script.isOneTransaction && version != nil
        allowances.goesOn = isOne
        allowances.shows = trial.hasRows
        let before = known
        let off = script.declaring([.foreignKeysOff])
        let canSwitchOff = isOne && !script.needsForeignKeysOff
        do {
            return try run(script, allowances, origin, from: start, &statements) {
                if canSwitchOff, $0.contains(where: { $0.directive == .foreignKeysOff }) {
                    throw ForeignKeysTakeRows(missing: $0)
                }
            }
        } catch let taken as ForeignKeysTakeRows {
            known = before?.stale
            let found = try? run(off, allowances, origin, from: start, &statements) {
                guard $0.allSatisfy({ $0.error.code != .foreignKeysBroken }) else { throw taken }
            }
            if let found {
                return taken.missing.filter { $0.directive == .foreignKeysOff }.prefix(1) + found
            }
            // The parents are gone for good, and their children with them.
            known = before?.stale
            for error in taken.missing.map(\.error) {
                guard let table = error.context.table else { continue }
                if let column = error.context.column {
                    allowances.changedValues[SQLName(table), default: []].insert(SQLName(column))
                } else {
                    allowances.losses.insert(SQLName(table))
                }
            }
            let rest = try run(script, allowances, origin, from: start, &statements) { _ in }
            let children = taken.missing.filter { $0.directive == .foreignKeysOff }.map { one in
                let table = one.error.context.table ?? ""
                return Missing(
                    directive: one.error.context.column.map { .allowChangedValues(table: table, column: $0) }
                        ?? .allowLoss(table: table), error: one.error)
            }
            return taken.missing.filter { $0.directive != .foreignKeysOff } + children
                + rest.filter { one in
                    !taken.missing.map(\.directive.spelling).containsBytes(of: one.directive.spelling)
                }
        } catch let error as LockstepError where isOne {
            // An error that a declaration prevents is no error of the script's.
            var declared = script
            var needed: [Missing] = []
            var last = error
            while let directive = last.preventable(in: declared) {
                known = before?.stale
                declared = declared.declaring([directive])
                needed.append(Missing(directive: directive, error: last))
                var tried: [MigrationPreview.Statement] = []
                do {
                    let found = try run(declared, allowances, origin, from: start, &tried) { _ in }
                    statements = tried
                    return needed + found
                } catch let error as LockstepError {
                    last = error
                }
            }
            throw error
        }
    }

    /// Foreign keys take rows that no statement names.
    private struct ForeignKeysTakeRows: Error { let missing: [Missing] }

    /// Notes what a script lacks as an error of the preview.
    private mutating func add(
        _ one: Missing, _ version: MigrationVersion?, isUp: Bool, _ origin: ScriptOrigin,
        _ original: borrowing Connection
    ) throws {
        try add(one.error, origin, original)
        let needed = need(one.directive, version, isUp: isUp)
        if let needed, one.error.context.missing?.kind == .parent, let table = one.error.context.table {
            broken.append(
                (lint.count - 1, Broken(child: SQLName(table), declaration: needed)))
        }
    }

    /// References without a parent that a later script has repaired need no declaration: they are judged at the end of
    /// the run.
    /// - Returns: The children of these references.
    @discardableResult
    mutating func judgeReferences() throws -> Set<SQLName> {
        guard !broken.isEmpty, !isOff else { return [] }
        var keys = ForeignKeys()
        let catalogue = try SchemaCatalogue(trial.connection.core)
        _ = try keys.update(.init(added: catalogue.objects), trial.connection.core)
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
        let one = MigrationPreview.Declaration(version: version, isUp: isUp, directive: directive.spelling)
        if !declarations.contains(one) { declarations.append(one) }
        return one
    }

    /// The finding for an error of the script. The copy has no rows, and none of the functions that a program adds:
    /// what may come from that alone is no reason to refuse the script.
    private mutating func add(_ error: LockstepError, _ origin: ScriptOrigin, _ original: borrowing Connection) throws {
        let title = origin.title
        let line = error.context.line ?? 0
        let isUnclear = !trial.hasRows && Self.dependsOnRows(error)
        guard try !isUnclear && !Self.isAdded(error, to: original) else {
            lint.append(
                LintFinding(
                    .warning, .notTried, title, line,
                    "a copy \(trial.hasRows ? "in this program" : "of the schema without rows") "
                        + "cannot run it: \(error.message)", hint: "rehearse it on a copy with the rows"))
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
        _ = try trial.connection.query(
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
    /// - Parameter judge: Called with what a transaction lacks, before it commits; an error rolls it back.
    private mutating func run(
        _ script: MigrationScript, _ allowances: Allowances, _ origin: ScriptOrigin, from start: CompletedPart.Position,
        _ statements: inout [MigrationPreview.Statement], _ judge: ([Missing]) throws -> Void
    ) throws -> [Missing] {
        var ran: [MigrationPreview.Statement] = []
        defer { statements = ran }
        var found: [LockstepError] = []
        var replay = ScriptReplay(script: script, origin: origin, start: start)
        replay.hasRows = trial.hasRows
        replay.address = allowances
        let core = script.takesDoubleQuotedTexts ? trial.connection.core : nil
        var misread: [(sql: String, line: Int)] = []
        replay.inspect = { sql, line in
            ran.append(MigrationPreview.Statement(line: line, sql: sql))
            if (try? core?.takesText(in: sql)) == true { misread.append((sql, line)) }
        }
        var missing: [Missing] = []
        var shown: [TableEffects] = []
        try replay.run(allowances, on: trial.connection, &known) {
            found.append($0)
        } missing: { error, directive in
            missing.append(Missing(directive: directive, error: error))
        } shown: {
            shown += $0
        } judge: {
            try judge(missing)
        }
        effects = TableEffects.merged(shown)
        lint += misread.map { sql, line in
            LintFinding(
                .warning, .doubleQuotedText, origin.title, line,
                "a name in double quotes is no column, so that it is text: \(SQLTokens.redact(sql, longest: 80))",
                hint: "correct the name, or write the text in single quotes")
        }
        lint += found.map {
            LintFinding(
                .warning, .tolerated, origin.title, 0, $0.message, advice: nil, isLocated: origin.hasLocated($0))
        }
        return missing
    }
}
