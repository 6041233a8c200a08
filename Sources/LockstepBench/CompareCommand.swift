import ArgumentParser
import SystemPackage

/// How results are printed.
enum ReportFormat: String, CaseIterable, ExpressibleByArgument {
    /// For people.
    case text
    /// For programs: one object on one line. Fields are only ever added.
    case json
}

/// `lockstep-bench compare`: Lockstep and all peers, in one run.
struct CompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Run Lockstep and every peer of a folder in turn, and compare them.",
        discussion: """
            Each run is a separate process. A program that did different work, or worked under \
            different settings, is refused. Build the peers with `Tests/Peers/build FOLDER`.
            """)

    @Argument(
        help: """
            Which workloads: \(WorkloadName.compared.map(\.rawValue).joined(separator: ", ")); \
            all if none is named.
            """)
    var workloads: [WorkloadName] = []

    @Option(
        help:
            "Rows of the table: 1,000,000, or 20,000 with --quick; a fifth or half of that for sealing."
    )
    var rows: Int?

    @Option(help: "How many operations, if they are not rows; the default depends on the workload.")
    var operations: Int?

    @Option(help: "How many migrations: 700, or 40 with --quick.")
    var migrations: Int?

    @Option(help: "How often each runs; medians count. 5, or 3 with --quick.")
    var repetitions: Int?

    @Option(help: "Bytes of memory for pages, for each connection.")
    var cache: Int = 64 * 1024 * 1024

    @Option(help: "When commits count as done; by default commits are measured both ways.") var sync: Synchronous?

    @Flag(help: "Small numbers, for a first result in less than a minute.")
    var quick = false

    @Option(help: "The folder with the peers; without it Lockstep runs alone.")
    var peers: String?

    @Option(help: "Where databases are made and removed; by default the temporary folder.") var folder: String?

    @Option(
        help: ArgumentHelp(
            "The lockstep-bench of another commit, to show what became faster or slower since.",
            valueName: "program"))
    var against: String?

    @Option(help: "That program's name in the report: lower-case letters, digits, hyphens.")
    var label: String = "lockstep-ref"

    @Option(help: ArgumentHelp("Also draw the report as an SVG picture.", valueName: "file")) var chart: String?

    @Option(help: "How results are printed: text or json.")
    var format: ReportFormat = .text

    func validate() throws {
        guard rows ?? 1 > 0, operations ?? 1 > 0, repetitions ?? 1 > 0, migrations ?? 1 > 0
        else {
            throw ValidationError("--rows, --operations, --migrations and --repetitions must be above 0")
        }
        try Self.requireCache(cache)
        guard against == nil || repetitions ?? 5 >= Change.fewestRepetitions else {
            throw ValidationError(
                "--against needs at least \(Change.fewestRepetitions) repetitions: one run has no spread")
        }
        if let other = workloads.first(where: { !WorkloadName.compared.contains($0) }) {
            throw ValidationError("\(other.rawValue) is not compared: it makes the file that others read")
        }
    }

    static func requireCache(_ bytes: Int) throws {
        guard bytes >= 65_536, bytes.isMultiple(of: 1024) else {
            throw ValidationError("--cache must be at least 65536 and a multiple of 1024")
        }
    }

    func run() async throws {
        let chart = try chart.map { try ChartFile($0) }
        var programs = [try PeerProgram.own()]
        if let against {
            programs.append(try await .reference(FilePath(against), name: label))
        }
        if let peers { programs += try await PeerProgram.find(in: FilePath(peers)) }
        try PeerProgram.requireDistinct(programs.map(\.name), "give the other build another name with --label")
        let scratch = ScratchFolder(in: folder)
        defer { scratch.remove() }
        var comparison = Comparison(
            programs: programs, items: items,
            sizes: Sizes(rows: rows, operations: operations, migrations: migrations, isQuick: quick),
            repetitions: repetitions ?? (quick ? 3 : 5), cacheBytes: cache, folder: scratch.path)
        comparison.progress = { Progress.show($0) }
        let report = try await comparison.report()
        Progress.show("")
        // First the report, which took the time to measure: a picture can be drawn from it later.
        print(format == .json ? try JSON.line(report) : report.text)
        try chart?.write(ReportChart.draw(report))
    }

    private var items: [Comparison.Item] {
        (workloads.isEmpty ? WorkloadName.compared : workloads).flatMap { workload in
            workload.type.synchronous(sync).map { .init(workload: workload, synchronous: $0) }
        }
    }
}
