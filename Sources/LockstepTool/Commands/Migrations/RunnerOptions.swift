import ArgumentParser
import Lockstep

/// How migrations are run.
struct RunnerOptions: ParsableArguments {
    @Option(help: "How many seconds to wait while another program holds the write lock.")
    var wait: Int = 60

    @Flag(help: "Apply pending versions that are older than applied ones.")
    var outOfOrder = false

    @OptionGroup var recorded: RecordedDownOption

    func validate() throws { try WaitOptions.use(wait) }

    /// Runs a set. Ctrl-C stops the run between two statements, and the current transaction is rolled back; it also
    /// stops a wait for the write lock.
    func run(
        _ set: MigrationSet, _ target: Lockstep.Plan.Target, _ limits: Limits?,
        on connection: borrowing Connection, into report: inout MigrationReport
    ) throws {
        let line = MigrationProgressLine()
        var migrator = Migrator(
            set, timeout: .seconds(limits?.seconds(atMost: wait) ?? wait),
            allowsOutOfOrder: outOfOrder,
            recordedDown: recorded.value)
        migrator.reportsEffects = true
        try migrator.run(target, on: connection, into: &report) { progress in
            // A wait itself notices the signal.
            guard progress.phase.isWait || !Interruption.isRequested else {
                throw LockstepError(
                    .interrupted, "interrupted: the current transaction is rolled back",
                    hint: "run it again: it continues where it stopped")
            }
            line.show(progress)
        }
    }
}
