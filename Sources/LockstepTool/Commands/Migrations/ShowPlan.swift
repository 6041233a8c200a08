import ArgumentParser
import Lockstep

/// `lockstep plan`: shows what a migration would run, with lint findings.
struct ShowPlan: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show what a migration would run, with lint findings.",
        discussion: """
            The database is only read. Every script is tried on an empty copy of the schema in memory, which \
            finds errors from SQLite and the checks; only `rehearse` finds errors that depend on the rows. \
            Exits with 0 if nothing is pending, with 3 if versions are pending, with 9 if something prevents \
            the migration (with --strict, also for a warning), with 4 if files and ledger disagree.
            """)

    @OptionGroup var access: AccessOptions
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var output: FormatOptions

    @Option(help: "Plan for this version instead of the newest.", transform: MigrationRun.version)
    var to: MigrationVersion?

    @Flag(help: "Apply pending versions that are older than applied ones.")
    var outOfOrder = false

    @OptionGroup var recorded: RecordedDownOption

    @Flag(help: "Count warnings as errors.")
    var strict = false

    @Flag(help: "Leave out the statements.")
    var brief = false

    func validate() throws { try recorded.validate(access.fields, leadsBack: to != nil) }

    func run() throws {
        let sets = try migrations.sets()
        guard to == nil || sets.count == 1 else {
            throw ValidationError("--to needs one set: name it with --set")
        }
        let session = try access.session()
        let connection = try session.connect(queryOnly: true, isFirst: true)
        var previews: [MigrationPreview] = []
        for set in sets {
            previews.append(
                try Migrator(set, allowsOutOfOrder: outOfOrder, recordedDown: recorded.value)
                    .preview(to.map { .version($0) } ?? .latest, on: connection))
        }
        switch output.format {
        case .json: try Output.json(PlanResult(previews))
        case .text: previews.forEach(show)
        }
        try leave(previews)
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
        if preview.steps.isEmpty { Output.line("\(preview.set): nothing to do") }
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
        }
        for finding in preview.planFindings where !finding.isFatal {
            Output.line("notice: \(finding.error.message)")
        }
        for finding in preview.lint {
            let place = finding.line > 0 ? "\(finding.file):\(finding.line)" : finding.file
            // Some messages already name their place.
            let message =
                finding.message.hasPrefix(finding.file)
                ? finding.message : "\(place): \(finding.message)"
            Output.line("\(finding.level.rawValue): \(message) [\(finding.rule)]")
            if let hint = finding.hint { Output.line("    hint: \(hint)") }
        }
    }
}

/// A plan as JSON.
private struct PlanResult: Encodable {
    struct Statement: Encodable {
        let line: Int
        let sql: String
    }

    struct Step: Encodable {
        let version: String?
        let name: String
        let file: String
        let direction: String
        let statements: [Statement]
    }

    struct Finding: Encodable {
        let level: String
        let rule: String
        let file: String?
        let line: Int?
        let message: String
        let hint: String?
        /// Of an error of the plan as a whole.
        var context: ErrorResult.Context?
    }

    struct SetPlan: Encodable {
        let set: String
        let blocked: Bool
        let steps: [Step]
        let findings: [Finding]
    }

    let sets: [SetPlan]

    init(_ previews: [MigrationPreview]) {
        sets = previews.map { preview in
            let steps = preview.steps.map { step in
                Step(
                    version: step.version?.description, name: step.name, file: step.title,
                    direction: step.isUp ? "up" : "down",
                    statements: step.statements.map { Statement(line: $0.line, sql: $0.sql) })
            }
            let plan = preview.planFindings.map { finding in
                Finding(
                    level: finding.isFatal ? "error" : "note", rule: finding.error.code.rawValue,
                    file: nil, line: nil, message: finding.error.message, hint: finding.error.hint,
                    context: ErrorResult.Context(finding.error.context))
            }
            let lint = preview.lint.map { finding in
                Finding(
                    level: finding.level.rawValue, rule: finding.rule, file: finding.file,
                    line: finding.line > 0 ? finding.line : nil, message: finding.message,
                    hint: finding.hint)
            }
            return SetPlan(
                set: preview.set, blocked: preview.isBlocked, steps: steps, findings: plan + lint)
        }
    }
}
