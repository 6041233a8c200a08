import ArgumentParser
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import BenchKit
@testable import LockstepBench

@Suite("The report's contract")
struct ReportContractTests {
    /// The names of all fields of an object and its contents.
    private func fields(_ value: Any) -> Set<String> {
        if let object = value as? [String: Any] {
            return object.reduce(into: []) { names, field in
                names.insert(field.key)
                // Its fields are the names of peers.
                if field.key != "libraries" { names.formUnion(fields(field.value)) }
            }
        }
        return (value as? [Any])?.reduce(into: []) { $0.formUnion(fields($1)) } ?? []
    }

    private func fields(of value: some Encodable) throws -> Set<String> {
        fields(try JSONSerialization.jsonObject(with: Data(JSON.line(value).utf8)))
    }

    private var rounds: [Round] {
        var own = Outcomes.series("lockstep", "async", .point, cpu: [2, 2, 2])
        own.outcomes[0].bytesWritten = 1
        own.outcomes[0].syncs = 1
        let others = ["ref", "grdb"].map { Outcomes.series($0, "async", .point, cpu: [4, 4, 4]) }
        return [
            Outcomes.round(.point, [own] + others),
            Outcomes.round(
                .scan,
                [
                    Outcomes.series("lockstep", "row", .scan, cpu: [1]),
                    Outcomes.series("grdb", "index", .scan, cpu: [1]),
                ]),
        ]
    }

    @Test("Every field of the JSON is documented")
    func documented() throws {
        let path = Programs.package.appending("Tests/Peers/REPORT.md")
        let text = String(decoding: try Bytes.read(path), as: UTF8.self)
        let report = try fields(of: Report(rounds, repetitions: 3, reference: "ref"))
        let growth = try fields(of: Growth(rounds, repetitions: 3))
        #expect(report.isSuperset(of: ["changes", "group", "against"]))
        for field in report.union(growth).sorted() {
            #expect(text.contains("`\(field)`"), "\(field)")
        }
    }

    @Test("Every workload is documented, and the help names it")
    func workloads() throws {
        let path = Programs.package.appending("Tests/Peers/README.md")
        let text = String(decoding: try Bytes.read(path), as: UTF8.self)
        let run = BenchCommand.helpMessage(for: RunCommand.self, columns: 1000)
        let compare = BenchCommand.helpMessage(for: CompareCommand.self, columns: 1000)
        for workload in Workloads.all { #expect(text.contains("\n| `\(workload.name)` | ")) }
        #expect(run.contains("Which workload: fill, open, start, keyring, "))
        #expect(run.contains(", update, rotate or verify."))
        #expect(compare.contains("Which workloads: open, start, keyring, "))
        #expect(compare.contains(", update, rotate, verify; all if none is named."))
        #expect(
            GrowthCommand.configuration.discussion.hasPrefix(
                "Inserts, scans, reads by key, verifies and rotates. Rows"))
    }

    @Test("A machine is described, and its user is not")
    func machine() throws {
        let machine = Machine.current
        #expect(machine.cores > 0)
        #expect(try #require(machine.memoryBytes) > 0)
        #expect(!machine.system.isEmpty && !machine.processor.isEmpty)
        #expect(try fields(of: machine) == ["system", "processor", "cores", "memoryBytes"])
    }

    @Test(
        "The processor's model as Linux reports it",
        arguments: [
            ("processor\t: 0\nmodel name\t: A Chip: 3 GHz\nmodel name\t: other", "A Chip: 3 GHz"),
            ("processor\t: 0\nBogoMIPS\t: 50", nil), ("", nil),
        ] as [(String, String?)])
    func model(_ information: String, _ model: String?) {
        #expect(Machine.model(inInformation: information) == model)
    }
}
