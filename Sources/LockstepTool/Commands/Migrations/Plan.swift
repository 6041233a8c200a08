import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep plan`: shows what a migration would run, with lint findings.
struct Plan: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what a migration would run, with lint findings.",
        discussion: """
            The database is only read. Every script is tried on a copy, which finds errors from SQLite and the \
            checks: on an empty copy of the schema in memory, or, where the rows matter, on an encrypted copy of \
            the database. \
            Exits with 0 if nothing is pending, with 3 if versions are pending, with 9 if something prevents \
            the migration (with --strict, also for a warning), with 4 if files and ledger disagree.

            --engines both also requires that the files for SQLite and for PostgreSQL seal the same columns in the same \
            order: what is sealed for one engine alone lies in plaintext on the other. Without --database and --url only \
            the folder is read.
            """)

    @OptionGroup var access: OptionalDatabase
    @OptionGroup var reading: ReadOnlyOption
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var limitOptions: LimitOptions
    @OptionGroup var output: FormatOptions

    @Option(help: "Plan for this version instead of the newest.", transform: MigrationRun.version)
    var to: MigrationVersion?

    @Flag(help: "Apply pending versions that are older than applied ones.")
    var outOfOrder = false

    @OptionGroup var recorded: RecordedDownOption

    @Option(help: ArgumentHelp("Compare the files for SQLite with those for PostgreSQL.", valueName: "both"))
    var engines: EngineChoice?

    @Flag(help: "Count warnings as errors.")
    var strict = false

    @Flag(help: "Leave out the statements.")
    var brief = false

    @Option(
        help: ArgumentHelp(
            "Write the declarations that the run needs to a new file, for --declare-file.",
            valueName: "file"))
    var writeDeclare: String?

    func validate() throws {
        try recorded.validate(access.fields, leadsBack: to != nil)
        guard !comparesAlone else {
            guard to == nil, !outOfOrder, writeDeclare == nil else {
                throw ValidationError(
                    "--to, --out-of-order and --write-declare are about a database: name it with --database or --url")
            }
            return
        }
        try access.requireDatabase()
    }

    /// Whether only the folder is read.
    private var comparesAlone: Bool { engines == .both && !access.isNamed }

    func run() throws {
        let limits = try limitOptions.begin()
        try limits.naming { try run(limits) }
    }

    private func run(_ limits: Limits) throws {
        guard !comparesAlone else { return try report(EnginesInStep(migrations).previews()) }
        let sets = try migrations.sets(
            oneFor: to.map { _ in "--to" } ?? writeDeclare.map { _ in "--write-declare" },
            for: access.server.isNamed ? .postgres : .sqlite)
        if access.server.isNamed {
            return try report(
                compared(
                    ServerRun.previews(
                        sets, target: to.map { .version($0) } ?? .latest,
                        outOfOrder: outOfOrder, recorded.value, on: access.server), sets))
        }
        let session = try access.session(readOnly: reading.readOnly)
        let connection = try session.connect(queryOnly: true, canBeFirst: true, limits)
        try UnrecordedSchema.notice(connection)
        let previews = try connection.read { connection in
            try sets.map { set in
                try Migrator(set, allowsOutOfOrder: outOfOrder, recordedDown: recorded.value)
                    .preview(to.map { .version($0) } ?? .latest, on: connection)
            }
        }
        try report(compared(previews, sets))
    }

    /// Adds what differs between the engines' files: as errors if that was asked for, and otherwise as warnings.
    private func compared(
        _ previews: [MigrationPreview], _ sets: [MigrationSet]
    ) throws -> [MigrationPreview] {
        let step = EnginesInStep(migrations)
        let findings = try step.findings(sets, engines == .both ? .error : .warning)
        return zip(previews, findings).map { preview, findings in preview.adding(findings) }
    }

    private func report(_ previews: [MigrationPreview]) throws {
        switch output.format {
        case .json: try Output.json(["sets": previews.map(\.json)])
        case .text: previews.forEach(show)
        }
        if let writeDeclare {
            try write(previews.flatMap(\.declarations), to: FilePath(writeDeclare))
        }
        try leave(previews)
    }

    private func write(
        _ declarations: [MigrationPreview.Declaration], to path: FilePath
    ) throws {
        var file = try NewFile(path)
        try file.write(Array(declarations.map { "\($0)\n" }.joined().utf8))
        try file.finish()
        Output.note("wrote \(counted(declarations.count, "declaration")) to \(path): review each line")
    }

    private func leave(_ previews: [MigrationPreview]) throws {
        if let fatal = previews.flatMap(\.planFindings).first(where: \.isFatal) {
            Output.error(fatal.error)
            throw ExitCode(Exit.code(for: fatal.error.code))
        }
        let gravest: [LintFinding.Level] = strict ? [.error, .warning] : [.error]
        if previews.flatMap(\.lint).contains(where: { gravest.contains($0.level) }) {
            throw ExitCode(Exit.lint)
        }
        if previews.contains(where: { !$0.steps.isEmpty }) { throw ExitCode(Exit.pending) }
    }

    private func show(_ preview: MigrationPreview) {
        if comparesAlone {
            let isInStep = preview.lint.isEmpty
            Output.line(
                "\(preview.set): the files for SQLite and PostgreSQL "
                    + (isInStep ? "seal the same columns" : "are out of step"))
        } else if preview.steps.isEmpty {
            Output.line("\(preview.set): nothing to do")
        }
        for step in preview.steps {
            let direction = step.isUp ? "up" : "down"
            let version = step.version?.description ?? "repeatable"
            Output.line("\(direction) \(preview.set) \(version) \(step.name)")
            for statement in brief ? [] : step.statements {
                let lines = statement.sql.split(separator: "\n", omittingEmptySubsequences: false)
                for (index, line) in lines.enumerated() {
                    let number = index == 0 ? "\(statement.line)" : ""
                    let padding = String(repeating: " ", count: max(6 - number.count, 0))
                    Output.line("\(padding)\(number)  \(line)")
                }
            }
            for effects in step.effects { Output.line("    \(effects)") }
        }
        for finding in preview.planFindings where !finding.isFatal {
            Output.line("notice: \(finding.error.message)")
        }
        for finding in preview.lint {
            let place = finding.line > 0 ? "\(finding.file):\(finding.line)" : finding.file
            let message = finding.isLocated ? finding.message : "\(place): \(finding.message)"
            Output.line("\(finding.level.rawValue): \(message) [\(finding.rule)]")
            if let advice = finding.advice { Output.line("    hint: \(advice.typed)") }
        }
        guard !preview.declarations.isEmpty else { return }
        let count = counted(preview.declarations.count, "declaration")
        Output.line("\(preview.set) needs \(count), each in its file, with --declare or in a --declare-file:")
        for declaration in preview.declarations { Output.line("  \(declaration)") }
    }
}

extension MigrationPreview {
    /// The plan for programs.
    fileprivate var json: JSONObject {
        let steps = steps.map { step in
            [
                "version": step.version?.description, "name": step.name, "file": step.title,
                "direction": step.isUp ? "up" : "down",
                "statements": step.statements.map {
                    ["line": $0.line, "sql": $0.sql] as JSONObject
                },
                "effects": step.effects.map(\.json),
            ] as JSONObject
        }
        let plan = planFindings.map { finding in
            [
                "level": finding.isFatal ? "error" : "note", "rule": finding.error.code.rawValue,
                "message": finding.error.message, "hint": finding.error.advice?.typed,
                "context": finding.error.context.json,
            ] as JSONObject
        }
        let lint = lint.map { finding in
            [
                "level": finding.level.rawValue, "rule": finding.rule, "file": finding.file,
                "line": finding.line > 0 ? finding.line : nil, "message": finding.message,
                "hint": finding.advice?.typed,
            ] as JSONObject
        }
        return [
            "set": set, "blocked": isBlocked, "steps": steps, "findings": plan + lint,
            "declarations": declarations.map(\.description),
        ]
    }
}
