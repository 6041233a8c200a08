import ArgumentParser
import BenchKit
import FoundationEssentials
import SystemPackage

/// `lockstep-bench-server compare`: Lockstep and the other clients, in turns on one server.
struct CompareServersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Run Lockstep and the other clients in turns.",
        discussion: """
            Each run makes a schema of its own on the server, and drops it. What was written is read back, and a \
            program that did different work is refused. A program that is missing is named and left out.
            """)

    @Argument(
        help: """
            Which workloads: \(Contest.Name.allCases.map(\.rawValue).joined(separator: ", ")); \
            all if none is named.
            """)
    var workloads: [Contest.Name] = []

    @Option(help: "The server, such as postgres://me@/scratch?host=/run/postgresql.")
    var url: String

    @Option(help: "Rows of the table.")
    var rows = 200_000

    @Option(help: "How often each program runs; medians count.")
    var repetitions = 5

    @Option(help: "How many look-ups.")
    var lookups = 20_000

    @Option(help: "How many migrations.")
    var migrations = 350

    @Option(help: "The folder with the peers that `Tests/Peers/build` made.")
    var peers: String?

    @Option(help: "How results are printed: text or json.")
    var format: Format = .text

    enum Format: String, ExpressibleByArgument { case text, json }

    func validate() throws {
        guard rows >= 100, repetitions > 0, lookups > 0, migrations > 0 else {
            throw ValidationError(
                "--rows must be at least 100, --repetitions, --lookups and --migrations above 0"
            )
        }
    }

    func run() throws {
        let folder = FilePath(FileManager.default.temporaryDirectory.path)
            .appending("lockstep-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            atPath: folder.string, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder.string) }
        let site = try BenchSite(url: url, folder: folder, rows: rows, lookups: lookups, migrations: migrations)
        let names = workloads.isEmpty ? Contest.Name.allCases : workloads
        let programs = ServerPrograms(site: site, peers: peers.map { FilePath($0) })
        defer { programs.dropAll() }
        let report = ServerReport(
            machine: .current, server: try programs.serverVersion(), rows: rows, repetitions: repetitions,
            contests: try Contest.run(names, programs, repetitions: repetitions))
        switch format {
        case .text: print(report.text)
        case .json:
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(report), as: UTF8.self))
        }
    }
}

extension Contest.Name: ExpressibleByArgument {}
