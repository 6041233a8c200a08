import BenchKit

/// How Lockstep scales as tables grow. Tests/Peers/REPORT.md is its contract.
struct Growth: Codable, Sendable {
    /// One workload at one size.
    struct Point: Codable, Hashable, Sendable {
        let workload: WorkloadName
        let variant: String
        /// Rows of the table.
        let rows: Int
        /// The divisor of the times: the rows, or how many of them were read.
        let operations: Int
        /// CPU nanoseconds per operation.
        let cpu: Spread
        /// Wall-clock nanoseconds per operation.
        let wall: Spread
        let peakKiB: Int
        /// Bytes passed to the system per operation, at most; nil if that is not reported.
        let bytesWritten: Double?
    }

    let machine: Machine
    let repetitions: Int
    let libraries: [String: String]
    /// By workload, then by rows.
    let points: [Point]
    let rounds: [Round]

    /// The measured workloads.
    static let workloads = Workloads.startingWith([
        InsertWorkload.self, ScanWorkload.self, PointWorkload.self, VerifyWorkload.self,
    ]).filter { $0.growth != nil }.map(WorkloadName.init)

    init(_ rounds: [Round], repetitions: Int, machine: Machine = .current) {
        self.machine = machine
        self.repetitions = repetitions
        self.rounds = rounds
        libraries = Report.libraries(of: rounds)
        points = Self.workloads.flatMap { workload in
            rounds.filter { $0.workload == workload }.sorted { $0.rows < $1.rows }
                .compactMap { round in round.own.flatMap { Self.point($0, in: round) } }
        }
    }

    private static func point(_ series: Series, in round: Round) -> Point? {
        guard let cpu = Spread(series.cpu), let wall = Spread(series.wall) else { return nil }
        return Point(
            workload: round.workload, variant: series.variant, rows: round.rows, operations: round.operations, cpu: cpu,
            wall: wall, peakKiB: series.peakKiB, bytesWritten: series.bytesWritten)
    }

    /// For people.
    var text: String {
        var lines = [
            "\(machine.text); medians of \(repetitions) runs; µs and bytes per row, or per " + "row read by key"
        ]
        lines += libraries.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }
        var table = Table()
        table.rows.append(["workload", "variant", "rows", "CPU µs", "least–most", "wall µs", "peak MiB", "written"])
        for point in points {
            let time = Figures.microseconds
            table.rows.append([
                point.workload.rawValue, point.variant, Figures.count(point.rows),
                time(point.cpu.median), "\(time(point.cpu.least))–\(time(point.cpu.most))",
                time(point.wall.median), Figures.decimal(Double(point.peakKiB) / 1024, 1),
                point.bytesWritten.map { Figures.decimal($0, 1) } ?? "–",
            ])
        }
        return (lines + [""] + table.lines.map { "  " + $0 }).joined(separator: "\n")
    }
}
