import ArgumentParser
import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import BenchKit
@testable import LockstepBench

@Suite("Growth")
struct GrowthTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func round(_ workload: WorkloadName, rows: Int, cpu: [Int64], written: Int?) -> Round {
        var series = Outcomes.series("lockstep", "typed", workload, cpu: cpu)
        for index in series.outcomes.indices {
            series.outcomes[index].operations = rows
            series.outcomes[index].bytesWritten = written
        }
        return Round(
            workload: workload, synchronous: .normal, cacheBytes: 1_048_576, rows: rows,
            operations: rows, group: nil, series: [series])
    }

    private func growth(_ rounds: [Round]) -> Growth {
        Growth(rounds, repetitions: 3, machine: Machine(system: "a system", processor: "a chip", cores: 2))
    }

    private var some: Growth {
        growth([
            round(.scan, rows: 100, cpu: [100_000], written: nil),
            round(.insert, rows: 10_000, cpu: [30_000_000, 20_000_000, 40_000_000], written: 90_000),
            round(.insert, rows: 100, cpu: [200_000, 200_000, 200_000], written: 1200),
        ])
    }

    @Test("Figures are per row, by workload and then by number of rows")
    func points() {
        let points = some.points
        #expect(points.map(\.workload) == [.insert, .insert, .scan])
        #expect(points.map(\.rows) == [100, 10_000, 100])
        #expect(points.map(\.cpu.median) == [2000, 3000, 1000])
        #expect(points.map(\.bytesWritten) == [12, 9, nil])
    }

    @Test("A table, line by line")
    func text() {
        let expected = """
            a chip, 2 cores, a system; medians of 3 runs; µs and bytes per row, or per row read by key
              lockstep: none

              workload  variant    rows  CPU µs  least–most  wall µs  peak MiB  written
              insert    typed       100    2.00   2.00–2.00     2.00       2.0     12.0
              insert    typed    10,000    3.00   2.00–4.00     3.00       2.0      9.0
              scan      typed       100    1.00   1.00–1.00     1.00       2.0        –
            """
        #expect(some.text == expected, "\(some.text)")
    }

    @Test("The axis of rows is logarithmic, and the picture the same each time")
    func chart() {
        let rounds = [100, 1000, 10_000].map {
            round(.insert, rows: $0, cpu: [1_000_000], written: 0)
        }
        let chart = GrowthChart.draw(growth(rounds))
        #expect(chart == GrowthChart.draw(growth(rounds)))
        for place in ["70", "190", "310"] {
            #expect(chart.contains(#"<circle cx="\#(place)""#), "\(place)")
        }
        for name in [">100<", ">1k<", ">10k<", ">insert, typed<", ">CPU µs<"] {
            #expect(chart.contains(name), "\(name)")
        }
    }

    @Test("One size, unreported figures, and no figures at all can be drawn")
    func borders() {
        for rounds in [[], [round(.scan, rows: 5, cpu: [0], written: nil)]] {
            let chart = GrowthChart.draw(growth(rounds))
            #expect(chart.hasSuffix("</svg>\n"))
            #expect(!chart.contains("nan") && !chart.contains("inf"))
            #expect(chart.contains("not measured") == !rounds.isEmpty)
        }
    }

    @Test(
        "An axis ends in its largest value, and has no label for zero",
        arguments: [(12_345, ">1.23<"), (5, ">&lt;0.01<"), (0, nil)] as [(Int, String?)])
    func axis(_ written: Int, _ label: String?) {
        let chart = GrowthChart.draw(growth([round(.insert, rows: 10_000, cpu: [10_000_000], written: written)]))
        for other in [">1.23<", ">&lt;0.01<", ">0.00<"] {
            #expect(chart.contains(other) == (other == label), "\(other)")
        }
    }

    @Test(
        "Numbers of rows as an axis label shows them",
        arguments: [(1, "1"), (999, "999"), (1000, "1k"), (1500, "1.5k"), (10_000_000, "10M")])
    func short(_ count: Int, _ text: String) { #expect(GrowthChart.short(count) == text) }

    @Test("Sizes are positive numbers, each once, the smallest first")
    func sizes() {
        #expect(RowCounts(argument: "1000,10,1000")?.counts == [10, 1000])
        #expect(RowCounts(argument: "5")?.counts == [5])
        for wrong in ["", ",", "10,", "0", "-5", "10;20", "ten"] {
            #expect(RowCounts(argument: wrong) == nil, "\(wrong)")
        }
    }

    @Test("The program measures everything, and draws the stored report as it drew the original")
    func program() async throws {
        let chart = folder.file("first.svg")
        let result = try await Subprocess.run(
            .path(Programs.path("lockstep-bench")),
            arguments: [
                "growth", "--rows", "30,3", "--operations", "5", "--repetitions", "1", "--format",
                "json", "--folder", folder.path.string, "--chart", chart.string,
            ],
            output: .string(limit: 1_000_000), error: .string(limit: 65_536))
        #expect(result.terminationStatus.isSuccess, "\(result.standardError)")
        let line = result.standardOutput
        let growth = try JSONDecoder().decode(Growth.self, from: Data(line.utf8))
        #expect(growth.points.map(\.rows) == Growth.workloads.flatMap { _ in [3, 30] })
        #expect(Set(growth.points.map(\.workload)) == Set(Growth.workloads))
        #expect(
            growth.points.map(\.variant)
                == ["streamed", "streamed", "streamed", "streamed", "async", "async", "all", "all"]
                + ["copy", "copy"])
        #if os(Linux)
        let insert = try #require(growth.points.first?.bytesWritten)
        #expect(insert > 100, "a row is longer")
        #endif
        let again = folder.file("again.svg")
        let command = try ChartCommand.parse([try folder.write("growth.json", line).string, again.string])
        try command.run()
        #expect(try Bytes.read(again) == Bytes.read(chart))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path.string)
        #expect(left.sorted() == ["again.svg", "first.svg", "growth.json"])
    }

    @Test(
        "Batches make and read the same rows as arrays do, at their borders too",
        arguments: [1, Streaming.batch - 1, Streaming.batch, Streaming.batch + 1])
    func batches(_ rows: Int) throws {
        for workload in [WorkloadName.insert, .scan] {
            let home = try TemporaryFolder()
            let path = home.path.appending("bench.db")
            func run(_ workload: WorkloadName, _ variant: String) throws -> LockstepBench.Measurement {
                try RunRequest(
                    workload: workload, variant: variant, path: path, rows: rows, operations: 1,
                    cacheBytes: 1_048_576, synchronous: .normal, key: RunRequest.ordinaryKey
                ).run()
            }
            if workload == .scan { _ = try run(.fill, "default") }
            let measurement = try run(workload, Streaming.variant)
            #expect(measurement.operations == rows)
            #expect(try measurement.hash.hex == workload.expected(rows, rows))
        }
    }
}
