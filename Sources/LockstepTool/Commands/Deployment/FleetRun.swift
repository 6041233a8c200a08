import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep migrate --fleet`: migrates many files.
enum FleetRun {
    /// A signal has arrived.
    private struct Stopped: Error {}

    static func run(
        _ files: [FilePath], _ jobs: Int?, _ keyrings: FleetKeyrings, _ sets: [MigrationSet],
        _ target: Lockstep.Plan.Target, _ runner: RunnerOptions, _ safety: SafetyOptions,
        _ limits: Limits, _ format: OutputFormat, isFirst: Bool
    ) throws {
        Interruption.expect()
        var fleet = FleetMigration(of: files, sets: sets)
        fleet.target = target
        fleet.recordedDown = runner.recorded.value
        fleet.jobs = jobs ?? fleet.jobs
        fleet.timeout = .seconds(limits.seconds(atMost: runner.wait))
        fleet.options.fieldKeys = keyrings.fields
        fleet.options.firstTime = isFirst
        fleet.options.busyTimeout = .seconds(min(runner.wait, 5))
        limits.apply(to: &fleet.options)
        if safety.safe {
            var way = FleetMigration.Safety()
            way.backupFolder = safety.backupFolder.map { FilePath($0) }
            way.keep = safety.keep ?? way.keep
            fleet.safely = way
        }
        var codes: Set<Exit> = []
        var report = FleetReport()
        do {
            try fleet.run(access: keyrings.access, into: &report) { result in
                if let error = result.error { codes.insert(Exit.code(for: error, result.safe)) }
                if result.isSuccess, !result.wasSkipped {
                    try keyrings.rememberSealed(result.file, result.database)
                }
                try format == .json ? Output.json(json(result)) : show(result)
                Output.flush()
            } progress: { _ in
                if Interruption.isRequested { throw Stopped() }
            }
        } catch is Stopped {
            // The report counts the files that were not started.
        }
        if format == .text { show(report, files.count) }
        guard !report.isSuccess else { return }
        Output.error(
            LockstepError(
                .migrationFailed,
                "\(report.failed) of \(counted(files.count, "file")) failed"
                    + (report.skipped > 0 ? ", \(report.skipped) not started" : ""),
                hint: report.failed + report.skipped < files.count
                    ? "the others are done: fix these and run the command again"
                    : "fix these and run the command again"))
        throw ExitCode(codes.count == 1 ? codes.first ?? .failed : .failed)
    }

    /// A line of the JSON output. Fields are only ever added.
    private static func json(_ result: FleetResult) -> JSONObject {
        [
            "file": result.file.string, "ok": result.isSuccess, "from": result.from.mapValues(\.description),
            "to": result.to.mapValues(\.description), "steps": result.steps.count,
            "microseconds": result.time.duration.wholeMicroseconds, "skipped": result.wasSkipped ? true : nil,
            "outcome": result.safe?.outcome?.rawValue, "backup": result.safe?.backup?.string,
            "notices": result.notices.isEmpty ? nil : result.notices.map(\.message), "error": result.error?.json,
        ]
    }

    private static func show(_ result: FleetResult) {
        for notice in result.notices { Output.note("notice: \(result.file): \(notice.message)") }
        if result.wasSkipped { return Output.line("\(result.file): not started") }
        if let error = result.error {
            let place = result.file.string
            // A message names the file that its error is about.
            let isNamed = error.context.file == place
            Output.line("FAILED \(isNamed ? "" : "\(place): ")\(error.message)")
            return
        }
        guard !result.steps.isEmpty else { return Output.line("\(result.file): nothing to do") }
        let sets = result.to.keys.sorted().filter { result.from[$0] != result.to[$0] }
        let moves = sets.map { set in
            let from = result.from[set].map { " \($0)" } ?? ""
            return "\(set)\(from) to \(result.to[set].map { "\($0)" } ?? "")"
        }
        Output.line(
            "\(result.file): \(moves.joined(separator: ", ")), "
                + "\(counted(result.steps.count, "version")), \(Output.duration(result.time.duration))")
    }

    private static func show(_ report: FleetReport, _ count: Int) {
        Output.line(
            "\(counted(count, "file")): \(report.migrated) migrated, \(report.unchanged) with nothing to "
                + "do, \(report.failed) failed, \(report.skipped) not started, "
                + Output.duration(report.time.duration))
    }
}
