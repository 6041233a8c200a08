import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep migrate --safe`: migrates with a backup and a verification.
enum SafeRun {
    /// Reports an unfinished run when another command works on the database.
    static func reportIfUnfinished(_ path: FilePath) {
        guard SafeMigration.isUnfinished(path) else { return }
        Output.note(
            "notice: a safe migration of \(path) is running or was killed: `lockstep migrate --safe` " + "continues it")
    }

    static func run(
        _ sets: [MigrationSet], _ target: Lockstep.Plan.Target, _ runner: RunnerOptions,
        _ options: SafetyOptions,
        _ session: borrowing Session, _ limits: Limits, _ format: OutputFormat
    ) throws {
        Interruption.expect()
        var migration = SafeMigration(of: session.path, sets: sets)
        migration.target = target
        migration.recordedDown = runner.recorded.value
        migration.backupFolder = options.backupFolder.map { FilePath($0) }
        migration.keep = options.keep ?? migration.keep
        migration.timeout = .seconds(limits.seconds(atMost: runner.wait))
        migration.options.busyTimeout = .seconds(min(runner.wait, 5))
        limits.apply(to: &migration.options)
        var report = SafeMigrationReport()
        var failure: LockstepError?
        do {
            // Another job can have given the database another key, or a keyring another version, meanwhile.
            try session.readingAgain {
                migration.options.fieldKeys = session.fields
                do {
                    try run(migration, into: &report, session, limits)
                } catch let error as LockstepError where report.hasBegun {
                    failure = error
                }
            }
        } catch let error as LockstepError {
            failure = error
        }
        try show(report, failure, session.path, format)
        guard let failure else { return }
        Output.error(failure)
        throw ExitCode(Exit.code(for: failure, report))
    }

    private static func run(
        _ migration: SafeMigration, into report: inout SafeMigrationReport,
        _ session: borrowing Session, _ limits: Limits
    ) throws {
        let access = try DatabaseAccess(session.opened.keyring, for: session.path)
        try limits.naming {
            try migration.run(access, into: &report) { _ in
                guard !Interruption.isRequested else {
                    throw LockstepError(
                        .interrupted, "the migration of \(session.path) was interrupted", context: .file(session.path))
                }
            }
        }
    }

    private static func show(
        _ report: SafeMigrationReport, _ failure: LockstepError?, _ path: FilePath, _ format: OutputFormat
    ) throws {
        guard format == .text else {
            return try Output.json(
                [
                    "outcome": report.outcome?.rawValue, "recovery": report.recovery?.rawValue,
                    "backup": report.backup?.string, "verified": report.verification?.isClean,
                    "steps": report.migration.steps.map(\.json),
                    "notices": report.migration.notices.map(\.message), "error": failure?.json,
                ] as JSONObject)
        }
        switch report.recovery {
        case .restored:
            Output.note("notice: an earlier run was killed while it restored \(path): the restore is now finished")
        case .continued:
            Output.note("notice: an earlier run was killed: this run continued it")
        case nil: break
        }
        for notice in report.migration.notices { Output.note("notice: \(notice.message)") }
        for step in report.migration.steps { step.show() }
        switch report.outcome {
        case .nothingToDo: Output.line("nothing to do")
        case .migrated:
            Output.line("verified: " + (report.verification?.isClean == true ? "everything holds" : "no new failures"))
            if let backup = report.backup { Output.line("the backup is \(backup)") }
        case .rolledBack: Output.note("notice: nothing was committed: \(path) is unchanged")
        case .restored: Output.note("notice: \(path) is as before: its backup was restored")
        case .notRestored, nil: break
        }
    }
}

extension SafeMigrationReport {
    /// Whether the run has done more than to open the database.
    fileprivate var hasBegun: Bool { outcome != nil || recovery != nil || backup != nil }
}

extension Exit {
    /// The exit code of a safe migration: the outcome for the database takes precedence over the error.
    static func code(for error: LockstepError, _ report: SafeMigrationReport?) -> Exit {
        switch report?.outcome {
        case .rolledBack: .rolledBack
        case .restored: .restored
        default: code(for: error.code)
        }
    }
}
