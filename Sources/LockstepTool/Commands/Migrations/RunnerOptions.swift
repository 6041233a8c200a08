import ArgumentParser
import Lockstep

/// How migrations are run.
struct RunnerOptions: ParsableArguments {
    @Option(help: "How many seconds to wait while another program holds the write lock.")
    var wait: Int = 60

    @Flag(help: "Apply pending versions that are older than applied ones.")
    var outOfOrder = false

    @OptionGroup var recorded: RecordedDownOption

    func validate() throws {
        guard (0...1_000_000_000).contains(wait) else {
            throw ValidationError("--wait must be 0 or more seconds")
        }
    }

    /// Ctrl-C stops the run between two statements, and the current transaction is rolled back; it also stops a wait for
    /// the write lock.
    func migrator(_ set: MigrationSet) -> Migrator {
        let progress = MigrationProgressLine()
        return Migrator(
            set, timeout: .seconds(wait), allowsOutOfOrder: outOfOrder,
            recordedDown: recorded.value
        ) { event in
            // The wait itself notices the signal.
            if case .waiting = event { return progress.show(event) }
            guard !Interruption.hasCome else {
                throw LockstepError(
                    .interrupted, "interrupted: the current transaction is rolled back",
                    hint: "run it again: it continues where it stopped")
            }
            progress.show(event)
        }
    }
}
