import ArgumentParser
import Lockstep

/// The `lockstep-bench` tool: whether encryption is affordable on your machine.
@main
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lockstep-bench",
        abstract: "Measure an encrypted database, next to what else there is.",
        discussion: """
            Rows have an integer key, four integers, a double, two texts of 16 to 40 characters and a \
            blob of 64 bytes. Times are of this machine at this moment: compare them within one run.
            """,
        version: LockstepVersion.current,
        subcommands: [CompareCommand.self, RunCommand.self],
        defaultSubcommand: CompareCommand.self)
}
