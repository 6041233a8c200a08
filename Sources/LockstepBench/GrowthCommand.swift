import BenchKit
import ArgumentParser
import SystemPackage

/// `lockstep-bench growth`: Lockstep alone, at several sizes.
struct GrowthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "growth",
        abstract:
            "Run Lockstep on tables of several sizes: does a row cost the same in all of them?",
        discussion: """
            \(summary). Rows are made and read in batches, so that \
            a table need not fit in memory. One of 10,000,000 rows takes 1.7 GB of the disk, up to four times as \
            much in the meantime, and some minutes; name fewer with --rows to finish sooner.
            """)

    /// The measured quantity, in words.
    private static var summary: String {
        let words = Growth.workloads.compactMap { $0.type.growth?.verb }.listed(before: "and")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    @Option(help: "The numbers of rows, with commas between them.")
    var rows: RowCounts = RowCounts([10_000, 100_000, 1_000_000, 10_000_000])

    @Option(help: "How many rows are read by key.")
    var operations: Int = 100_000

    @Option(help: "How often each runs; medians count.")
    var repetitions: Int = 3

    @Option(help: "Bytes of memory for pages, for each connection.")
    var cache: Int = 64 * 1024 * 1024

    @Option(help: "Where databases are made and removed; by default the temporary folder.") var folder: String?

    @Option(help: ArgumentHelp("Also draw the figures as an SVG picture.", valueName: "file")) var chart: String?

    @Option(help: "How results are printed: text or json.")
    var format: ReportFormat = .text

    func validate() throws {
        guard operations > 0, repetitions > 0 else {
            throw ValidationError("--operations and --repetitions must be above 0")
        }
        try CompareCommand.requireCache(cache)
    }

    func run() async throws {
        let chart = try chart.map { try ChartFile($0) }
        let scratch = ScratchFolder(in: folder)
        defer { scratch.remove() }
        let program = try PeerProgram.own(.growing)
        var rounds: [Round] = []
        for rows in rows.counts {
            let size = ScratchFolder(in: scratch.path.string)
            // Removed before the next size needs the space.
            defer { size.remove() }
            var comparison = Comparison(
                programs: [program], items: Growth.workloads.map { .init(workload: $0, synchronous: .normal) },
                sizes: Sizes(rows: rows, operations: operations), repetitions: repetitions,
                cacheBytes: cache, folder: size.path)
            comparison.progress = { Progress.show("\(Figures.count(rows)) rows, \($0)") }
            rounds += try await comparison.run()
        }
        Progress.show("")
        let growth = Growth(rounds, repetitions: repetitions)
        print(format == .json ? try JSON.line(growth) : growth.text)
        try chart?.write(GrowthChart.draw(growth))
    }
}

/// Sizes of tables, from the smallest to the largest.
struct RowCounts: ExpressibleByArgument, CustomStringConvertible, Sendable {
    let counts: [Int]

    init(_ counts: [Int]) { self.counts = counts }

    init?(argument: String) {
        let counts = argument.split(separator: ",", omittingEmptySubsequences: false).map {
            Int($0) ?? 0
        }
        guard counts.allSatisfy({ $0 > 0 }) else { return nil }
        self.counts = Set(counts).sorted()
    }

    var description: String { counts.map(String.init).joined(separator: ",") }
}

/// How `growth` runs a workload.
struct GrowthSeries: Sendable {
    /// The variant, which must allow tables larger than memory.
    let variant: String
    /// Its description in the help of `growth`.
    let verb: String
}
