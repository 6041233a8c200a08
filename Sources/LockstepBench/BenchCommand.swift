import ArgumentParser
import Lockstep

/// The `lockstep-bench` tool: how fast the engine is, on a database it makes and removes again.
@main
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lockstep-bench",
        abstract: "Measure opening, inserting and scanning an encrypted database.",
        discussion: """
            Rows have an integer key, four integers, a double, two texts of 16 to 40 characters and a \
            blob of 64 bytes. Times are of this machine at this moment: compare them within one run.
            """,
        version: LockstepVersion.current)

    @Argument(help: "Which workloads: open, insert, scan; all of them if none is named.")
    var workloads: [Workload] = []

    @Option(help: "Rows to insert and to scan.")
    var rows: Int = 100_000

    @Option(help: "How often each is measured; the median counts.")
    var runs: Int = 5

    func validate() throws {
        guard rows > 0, runs > 0 else { throw ValidationError("--rows and --runs must be above 0") }
    }

    func run() throws {
        let bench = try Workbench(rows: rows)
        let chosen = workloads.isEmpty ? Workload.allCases : workloads
        for workload in chosen {
            let measurement = try Measurement.median(of: runs) { try workload.run(bench) }
            print(
                "\(workload.rawValue): \(measurement.nanoseconds / Int64(workload.operations(bench))) "
                    + "ns each, \(workload.operations(bench)) \(workload.unit), median of \(runs)")
        }
    }
}
