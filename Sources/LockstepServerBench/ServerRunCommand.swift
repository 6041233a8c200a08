import ArgumentParser
import FoundationEssentials
import SystemPackage

/// `lockstep-bench-server run`: one run of Lockstep, in a process of its own, whose memory counts.
struct ServerRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run one piece of work once, and print its outcome as JSON.",
        discussion: "`compare` calls it, after it has made the folder and the schema.")

    @Argument(help: "Which: \(ServerWork.allCases.map(\.rawValue).joined(separator: ", ")).") var work: ServerWork

    @Option(help: "The server.")
    var url: String

    @Option(help: "The folder with keyrings and files.")
    var folder: String

    @Option(help: "The schema to work in.")
    var schema: String

    @Option(help: "Rows of the table.")
    var rows: Int

    @Option(help: "How many look-ups.")
    var lookups: Int

    @Option(help: "How many migrations.")
    var migrations: Int

    func run() throws {
        let site = try BenchSite(
            url: url, folder: FilePath(folder), rows: rows, lookups: lookups,
            migrations: migrations)
        let sample = try work.run(site, schema: schema)
        print(String(decoding: try JSONEncoder().encode(sample), as: UTF8.self))
    }
}

extension ServerWork: ExpressibleByArgument {}
