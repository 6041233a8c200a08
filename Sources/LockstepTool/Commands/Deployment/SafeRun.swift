import ArgumentParser
import Lockstep
import SystemPackage

/// With a way back.
struct SafetyOptions: ParsableArguments {
    @Flag(
        help: """
            Back up first, verify afterwards, and put the database back if anything fails. What others wrote \
            meanwhile is never lost: then it is not put back, and the error says where the backup stands.
            """)
    var safe = false

    @Option(help: "Where --safe makes its backups. (default: the database's folder)")
    var backupFolder: String?

    @Option(help: "How many backups --safe keeps; the oldest go. (default: 3)")
    var keep: Int?

    func validate() throws {
        guard safe || (backupFolder == nil && keep == nil) else {
            throw ValidationError("--backup-folder and --keep belong to --safe")
        }
        guard keep ?? 0 >= 0 else { throw ValidationError("--keep must be 0 or more") }
    }
}

/// `lockstep migrate --safe`
enum SafeRun {
    private struct Result: Encodable {
        let outcome: String?
        let recovery: String?
        let backup: String?
        let verified: Bool?
        let steps: [MigrationRun.Step]
        let notices: [String]
        let error: MigrationRun.Failure?
    }

    /// Tells of a run that was killed, where another command looks at the database.
    static func tellIfUnfinished(_ path: FilePath) {
        guard SafeMigration.isUnfinished(path) else { return }
        Output.note(
            "notice: a safe migration of \(path) is under way or was killed: `lockstep migrate --safe` goes "
                + "on from there")
    }

    static func run(
        _ sets: [MigrationSet], _ target: Plan.Target, _ runner: RunnerOptions,
        _ options: SafetyOptions,
        _ session: borrowing Session, _ format: OutputFormat
    ) throws {
        Interruption.expect()
        var migration = SafeMigration(of: session.path, sets: sets)
        migration.target = target
        migration.recordedDown = runner.recorded.value
        migration.backupFolder = options.backupFolder.map { FilePath($0) }
        migration.keep = options.keep ?? migration.keep
        migration.timeout = .seconds(runner.wait)
        migration.options.fieldKeys = session.fields
        migration.options.busyTimeout = .seconds(min(runner.wait, 5))
        migration.goOn = { !Interruption.hasCome }
        var report = SafeMigrationReport()
        var failure: LockstepError?
        do {
            try migration.run(DatabaseAccess(session.keyring, for: session.path), into: &report)
        } catch let error as LockstepError {
            failure = error
        }
        try tell(report, failure, session.path, format)
        guard let failure else { return }
        Output.error(failure)
        throw ExitCode(Exit.code(for: failure, report))
    }

    private static func tell(
        _ report: SafeMigrationReport, _ failure: LockstepError?, _ path: FilePath,
        _ format: OutputFormat
    ) throws {
        let steps = report.migration.steps.map(MigrationRun.Step.init)
        guard format == .text else {
            return try Output.json(
                Result(
                    outcome: report.outcome?.rawValue, recovery: report.recovery?.rawValue,
                    backup: report.backup?.string, verified: report.verification?.isClean,
                    steps: steps, notices: report.migration.notices.map(\.message),
                    error: failure.map(MigrationRun.Failure.init)))
        }
        switch report.recovery {
        case .restored:
            Output.note(
                "notice: an earlier run was killed while it put \(path) back: that is finished")
        case .continued:
            Output.note("notice: an earlier run was killed: this one goes on from there")
        case nil: break
        }
        for notice in report.migration.notices { Output.note("notice: \(notice.message)") }
        for step in steps { step.tell() }
        switch report.outcome {
        case .nothingToDo: Output.line("nothing to do")
        case .migrated:
            Output.line(
                "verified: "
                    + (report.verification?.isClean == true
                        ? "everything holds" : "nothing fails that did not before"))
            if let backup = report.backup { Output.line("the backup from before is \(backup)") }
        case .rolledBack: Output.note("notice: nothing was committed: \(path) is what it was")
        case .restored: Output.note("notice: \(path) is what it was: its backup was put back")
        case .notRestored, nil: break
        }
    }
}

extension Exit {
    /// A safe migration's: what became of the database counts for more than why.
    static func code(for error: LockstepError, _ report: SafeMigrationReport?) -> Int32 {
        switch report?.outcome {
        case .rolledBack: rolledBack
        case .restored: restored
        default: code(for: error.code)
        }
    }
}
