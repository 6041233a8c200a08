import ArgumentParser
import Lockstep
import Synchronization

/// How long a command waits for locks of other programs.
struct WaitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How many seconds to wait while another program holds a keyring or replaces the database.",
            valueName: "seconds"))
    var wait: Int = 10

    func validate() throws { try Self.use(wait) }

    /// The waits of the command that runs.
    static var lockWait: FileLockWait {
        FileLockWait(timeout: .seconds(seconds.load(ordering: .relaxed))) {
            Output.note("notice: waiting: \($0)")
        } shouldContinue: {
            try Interruption.check()
        }
    }

    private static let seconds = Atomic<Int>(10)

    /// Makes the command's waits as long as its option says.
    static func use(_ wait: Int) throws {
        guard (0...1_000_000_000).contains(wait) else {
            throw ValidationError("--wait must be 0 or more seconds")
        }
        seconds.store(wait, ordering: .relaxed)
    }
}
