import BenchKit
import ArgumentParser
import Lockstep

/// The `lockstep-bench` tool: measures what encryption costs on your machine.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lockstep-bench", abstract: "Measure an encrypted database and compare it with the alternatives.",
        discussion: """
            Rows have an integer key, four integers, a double, two texts of 16 to 40 characters and a \
            blob of 64 bytes. Times depend on this machine at this moment: compare them only within one run.
            """,
        version: LockstepVersion.current,
        subcommands: [
            CompareCommand.self, GrowthCommand.self, ChartCommand.self, RunCommand.self,
            ListCommand.self, CorpusCommand.self,
        ],
        defaultSubcommand: CompareCommand.self)
}

/// Runs the command on the main thread: on other threads glibc takes memory from an arena that it enlarges page by
/// page, and every allocation of a workload would cost more than a peer's.
@main
enum Program {
    static func main() {
        do {
            var command = try BenchCommand.parseAsRoot()
            if let comparison = command as? CompareCommand {
                try Blocking.run { try await comparison.run() }
            } else if let growth = command as? GrowthCommand {
                try Blocking.run { try await growth.run() }
            } else {
                try command.run()
            }
        } catch {
            BenchCommand.exit(withError: error)
        }
    }
}
