import ArgumentParser
import Foundation
import Testing

@testable import BenchKit
@testable import LockstepBench

@Suite("Changes since another build")
struct ChangeTests {
    private func report(new: [Int64], old: [Int64]) -> Report {
        Report(
            [
                Outcomes.round(
                    .insert,
                    [
                        Outcomes.series("lockstep", "typed", .insert, cpu: new),
                        Outcomes.series("ref-1", "typed", .insert, cpu: old),
                        Outcomes.series("ref-1", "gone", .insert, cpu: [1, 1, 1]),
                        Outcomes.series("grdb", "typed", .insert, cpu: [1, 1, 1]),
                    ])
            ], repetitions: 3, reference: "ref-1", machine: Machine(system: "a system", processor: "a chip", cores: 2))
    }

    private func change(new: [Int64], old: [Int64]) -> Change? {
        report(new: new, old: old).changes?.first
    }

    @Test("Spreads that do not overlap are a difference")
    func differences() {
        #expect(change(new: [200, 210, 220], old: [100, 110, 199])?.cpu.difference == .slower)
        #expect(change(new: [100, 110, 199], old: [200, 210, 220])?.cpu.difference == .faster)
    }

    @Test("Touching spreads are not a difference, whatever the medians")
    func same() {
        #expect(change(new: [200, 300, 310], old: [100, 110, 200])?.cpu.difference == .same)
        #expect(change(new: [100, 100, 100], old: [100, 100, 100])?.cpu.difference == .same)
        #expect(change(new: [90, 120, 300], old: [100, 110, 115])?.cpu.difference == .same)
    }

    @Test("The ratio is new by old, and only workloads of both builds are compared")
    func ratio() throws {
        let report = report(new: [200, 220, 240], old: [100, 110, 120])
        let changes = try #require(report.changes)
        #expect(changes.map(\.variant) == ["typed"])
        #expect(changes.first?.cpu.ratio.ofMedians == 2)
        #expect(changes.first?.wall.difference == .slower)
    }

    @Test("Text and JSON report it")
    func reported() throws {
        let report = report(new: [200, 220, 240], old: [100, 110, 120])
        #expect(
            report.text.contains(
                """
                changes since ref-1; overlapping spreads count as the same
                  workload  variant  CPU new/old               wall new/old
                  insert    typed    2.00 (2.00–2.00)  slower  2.00 (2.00–2.00)  slower
                """), "\(report.text)")
        let line = try JSON.line(report)
        #expect(line.contains(#""difference":"slower""#))
        #expect(line.contains(#""reference":"ref-1""#))
        let again = try JSONDecoder().decode(Report.self, from: Data(line.utf8))
        #expect(again.changes == report.changes)
        #expect(again.changes?.isEmpty == false)
    }

    @Test("Without another build no changes are reported")
    func alone() throws {
        let report = Report([], repetitions: 1)
        #expect(report.changes == nil)
        #expect(!report.text.contains("changes"))
        #expect(try !JSON.line(report).contains("changes"))
    }

    @Test(
        "Builds with different versions of a library are not compared; their own versions may differ"
    )
    func engines() throws {
        func outcome(_ library: String) -> Outcome {
            var outcome = Outcomes.good()
            outcome.library = library
            return outcome
        }
        let own = outcome("Lockstep 0.2.0, SQLCipher 4.6.1, SQLite 3.46.1, OpenSSL 3.0.1")
        try outcome("Lockstep 0.1.0, SQLCipher 4.6.1, SQLite 3.46.1, OpenSSL 3.0.1").requireSameEngine(as: own)
        for library in [
            "Lockstep 0.2.0, SQLCipher 4.5.0, SQLite 3.46.1, OpenSSL 3.0.1",
            "Lockstep 0.2.0, SQLCipher 4.6.1, SQLite 3.46.1", "Lockstep 0.2.0", "",
        ] {
            let error = #expect(throws: BenchError.self) {
                try outcome(library).requireSameEngine(as: own)
            }
            #expect(error?.message.contains("different versions") == true)
        }
    }

    @Test("Too few runs for a spread are refused")
    func repetitions() {
        #expect(throws: (any Error).self) {
            _ = try CompareCommand.parse(["--against", "other", "--repetitions", "2"])
        }
        #expect(throws: Never.self) {
            _ = try CompareCommand.parse(["--against", "other", "--repetitions", "3"])
            _ = try CompareCommand.parse(["--repetitions", "1"])
        }
    }
}
