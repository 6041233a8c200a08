import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep rehearse`: runs the pending migrations on a copy of the real database.
struct Rehearse: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Try the pending migrations on an encrypted copy of the database.",
        discussion: """
            The database is only read, and other programs can keep writing. Its copy has a key that nobody \
            knows and is removed afterwards. Reports the time of each version, which is how long the real \
            run blocks other writers, the row counts of the tables that it changes, the size of the file, \
            and the result of verifying the copy. Exits with 1 if a version fails, or if a check fails that \
            passes for the database itself.

            For a database of a server, --on names a copy that you have made: it keeps what has run, and the database itself \
            is only read.
            """)

    @OptionGroup var access: FileOrServerOptions
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var limitOptions: LimitOptions
    @OptionGroup var output: FormatOptions

    @Option(help: "Stop at this version.", transform: MigrationRun.version)
    var to: MigrationVersion?

    @OptionGroup var recorded: RecordedDownOption

    @Option(help: "The folder for the copy. (default: the database's folder)")
    var folder: String?

    @Flag(help: "Name the keys of up to five rows that go or change, for each table and column.")
    var rows = false

    @Option(
        help: ArgumentHelp(
            "With --url, the copy to run on. It is reached with the same role's password.",
            valueName: "address"))
    var on: String?

    func validate() throws {
        try recorded.validate(access.fields, leadsBack: to != nil)
        guard access.server.isNamed == (on != nil) else {
            throw ValidationError(
                on == nil
                    ? "on a server a rehearsal needs a copy of the database: name it with --on"
                    : "--on names the copy of a server's database: name that with --url")
        }
        guard on == nil || !rows else { throw ValidationError("--rows is for the copy of a file: leave it out") }
        guard on == nil || folder == nil else {
            throw ValidationError("--folder is for the copy of a file: leave it out")
        }
        guard on == nil || access.server.passwordFd == nil else {
            throw ValidationError("a descriptor has a password for one connection: give it with --password-file")
        }
    }

    func run() throws {
        let limits = try limitOptions.begin()
        try limits.naming { try run(limits) }
    }

    private func run(_ limits: Limits) throws {
        let sets = try migrations.sets(oneFor: to.map { _ in "--to" }, for: access.server.isNamed ? .postgres : .sqlite)
        if let on { return try rehearse(sets, on) }
        let session = try access.session()
        try session.whileFieldsUsed { try rehearse(sets, session, limits) }
    }

    private func rehearse(
        _ sets: [MigrationSet], _ session: borrowing Session, _ limits: Limits
    ) throws {
        Interruption.expect()
        var rehearsal = Rehearsal(of: session.path, sets: sets)
        rehearsal.target = to.map { .version($0) } ?? .latest
        rehearsal.recordedDown = recorded.value
        rehearsal.namesRows = rows
        rehearsal.folder = folder.map { FilePath($0) }
        limits.apply(to: &rehearsal.options)
        let report = try session.readingAgain {
            rehearsal.options.fieldKeys = session.fields
            return try rehearsal.run(DatabaseAccess(session.opened.keyring, for: session.path)) {
                _ in
                guard !Interruption.isRequested else {
                    throw LockstepError(.interrupted, "the rehearsal was interrupted: its copy is removed")
                }
            }
        }
        try finish(report, session.path.string)
    }

    private func rehearse(_ sets: [MigrationSet], _ copy: String) throws {
        Interruption.expect()
        let target = to.map { Lockstep.Plan.Target.version($0) } ?? .latest
        let (report, name) = try ServerRun.rehearse(sets, target: target, recorded.value, of: access.server, on: copy)
        try finish(report, name)
    }

    private func finish(_ report: RehearsalReport, _ name: String) throws {
        try output.format == .json
            ? Output.json(Self.json(report, name)) : show(report, name)
        guard !report.isClean else { return }
        if let failure = report.failure { Output.error(failure) }
        throw ExitCode(Exit.failed)
    }

    private static func json(_ report: RehearsalReport, _ path: String) -> JSONObject {
        let steps = report.steps.map { step in
            [
                "set": step.set, "version": step.version.description, "name": step.name,
                "direction": step.isUp ? "up" : "down", "statements": step.statements,
                "microseconds": step.duration.wholeMicroseconds,
                "rows": step.rows.map {
                    ["table": $0.table, "before": $0.before, "after": $0.after] as JSONObject
                },
                "effects": step.effects.map(\.json),
            ] as JSONObject
        }
        return [
            "database": path, "ok": report.isClean, "steps": steps, "notices": report.notices.map(\.message),
            "error": report.failure?.json, "failedChecks": report.newFailures.map(\.rawValue),
            "verified": report.verification?.isClean, "bytesBefore": report.bytesBefore,
            "bytesAfter": report.bytesAfter, "logBytes": report.logBytes,
            "longestLockMicroseconds": report.longestLock.wholeMicroseconds,
            "totalLockMicroseconds": report.totalLock.wholeMicroseconds,
            "copyMicroseconds": report.copyDuration.wholeMicroseconds,
        ]
    }

    private func show(_ report: RehearsalReport, _ path: String) {
        for notice in report.notices { Output.note("notice: \(notice.message)") }
        if report.steps.isEmpty, report.failure == nil { return Output.line("nothing to do") }
        for step in report.steps {
            Output.line(
                "\(step.isUp ? "up" : "down") \(step.set) \(step.version) \(step.name): "
                    + "\(counted(step.statements, "statement")), \(Output.duration(step.duration))")
            let shown = step.effects.map(\.table)
            for change in step.rows where !shown.containsBytes(of: change.table) {
                func rows(_ count: Int?) -> String { count.map { counted($0, "row") } ?? "none" }
                Output.line("    \(change.table): \(rows(change.before)), then \(rows(change.after))")
            }
            for effects in step.effects { Output.line("    \(effects)") }
        }
        Output.line(
            "other writers would wait up to \(Output.duration(report.longestLock)) at a time, "
                + "\(Output.duration(report.totalLock)) in all")
        guard report.failure == nil else {
            return Output.line("FAILED on the copy; \(path) is unchanged")
        }
        Output.line(
            "the \(on == nil ? "file" : "database"): \(report.bytesBefore) bytes, then \(report.bytesAfter); "
                + "its log up to \(report.logBytes)")
        for outcome in report.verification?.outcomes ?? [] where outcome.hasFailed {
            for finding in outcome.findings where finding.isFailure {
                Output.line("    \(outcome.check.rawValue): \(finding.advice.typed)")
            }
        }
        guard report.verification != nil else {
            return Output.line("everything ran on the copy; \(path) is unchanged")
        }
        Output.line(
            report.verification?.isClean == true
                ? "verified: everything holds on the copy; \(path) is unchanged"
                : report.newFailures.isEmpty
                    ? "no new failures on the copy; \(path) is unchanged" : "NOT verified; \(path) is unchanged")
    }
}
