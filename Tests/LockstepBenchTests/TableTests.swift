import Testing

@testable import BenchKit
@testable import LockstepBench

@Suite("Output for people")
struct TableTests {
    @Test("Columns are as wide as necessary, words left and numbers right")
    func columns() {
        let table = Table(words: [0], rows: [["a", "1.00"], ["long", "10.00"], ["b", ""]])
        #expect(table.lines == ["a      1.00", "long  10.00", "b"])
    }

    private var report: Report {
        var own = Outcomes.series("lockstep", "typed", .insert, cpu: [2000, 2100, 2400])
        own.outcomes[0].bytesWritten = 500
        own.outcomes[1].bytesWritten = 512
        own.outcomes[2].syncs = 1024
        let other = Outcomes.series("grdb", "record", .insert, cpu: [8400, 8400, 8400])
        return Report(
            [Outcomes.round(.insert, [own, other])], repetitions: 3,
            machine: Machine(system: "a system", processor: "a chip", cores: 2))
    }

    @Test("A report, line by line")
    func text() {
        let expected = """
            a chip, 2 cores, a system; medians of 3 alternating runs, times and bytes written per operation, syncs per run; * is encrypted
              grdb: none
              lockstep: none
              pages of 4096 bytes, 1,024 KiB of cache for each connection, WAL

            insert: 1 operations, 1,000 rows, synchronous normal
              peer        variant  CPU µs  least–most  wall µs  ours/peer  peak MiB  written  syncs
              lockstep *  typed      2.10   2.00–2.40     2.10       1.00       2.0    512.0  1,024
              grdb        record     8.40   8.40–8.40     8.40       0.25       2.0        –      –

            goals
              insert  typed: CPU at most 1.05 × c-sqlcipher       –                           not measured
              insert  typed: CPU at most 0.55 × grdb              0.25 (0.24–0.29) to record  holds
              insert  typed: CPU at most 0.20 × grdb record       0.25 (0.24–0.29) to record  missed
              insert  codable: CPU at most 1.60 × lockstep typed  –                           not measured
              insert  codable: CPU at most 0.25 × grdb codable    –                           not measured
              insert  single: CPU at most 4.00 × lockstep typed   –                           not measured
              insert  single: CPU at most 0.70 × grdb record      –                           not measured
            """
        #expect(report.text == expected, "\(report.text)")
    }

    @Test("As JSON it is one line, with every run in it")
    func json() throws {
        let line = try JSON.line(report)
        #expect(!line.contains("\n"))
        #expect(line.split(separator: "\"cpuNanoseconds\"").count == 7)
        #expect(line.contains(#""state":"missed""#))
    }
}
