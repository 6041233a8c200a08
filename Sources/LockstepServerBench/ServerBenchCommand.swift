import ArgumentParser

/// The `lockstep-bench-server` tool: measures what sealed columns and copies cost on a PostgreSQL server.
///
/// It is a program of its own, since libpq brings so many libraries that a program with it starts milliseconds later:
/// `lockstep-bench` measures whole processes.
struct ServerBenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lockstep-bench-server",
        abstract: "Measure Lockstep on a PostgreSQL server beside psql, pgbench and others.",
        discussion: """
            Rows have an integer key, four integers, a double, and two texts and a blob that \
            are sealed, the first text with a blind index. Times depend on this machine at this \
            moment: compare them only within one run.
            """,
        subcommands: [CompareServersCommand.self, ServerRunCommand.self],
        defaultSubcommand: CompareServersCommand.self)
}

/// Runs the command on the main thread, whose memory is not taken page by page.
@main
enum Program {
    static func main() { ServerBenchCommand.main() }
}
