import SystemPackage
import Testing

@testable import BenchKit
@testable import LockstepBench

@Suite("Cells as a workload")
struct FieldsWorkloadTests {
    private func request(_ variant: String, _ operations: Int) -> RunRequest {
        RunRequest(
            workload: .fields, variant: variant, path: "none.db", rows: 1, operations: operations,
            cacheBytes: 1_048_576, synchronous: .normal, key: RunRequest.ordinaryKey)
    }

    private func expected(_ variant: String, _ operations: Int) -> String {
        FieldsWorkload.expected(Sizes(operations: operations), variant)
    }

    @Test("Ours opens the cells that it sealed, of every length", arguments: Cells.all)
    func run(_ cells: Cells) throws {
        // More than a batch, and not a multiple of one.
        let count = cells.batch + 3
        let request = request(cells.variant, count)
        let measured = try request.run()
        #expect(measured.operations == count)
        #expect(measured.hash.hex == expected(cells.variant, count))
        #expect(measured.settings == request.settings)
        #expect(measured.clock.wallNanoseconds > 0)
    }

    /// The answers are those of the peer that uses swift-crypto.
    @Test(
        "The peer computes these checksums",
        arguments: [
            ("seal-16", "809f7f7d8e8a80c7"), ("open-16", "809f7f7d8e8a80c7"),
            ("seal-256", "591526c6b162027a"),
        ])
    func checksums(_ variant: String, _ answer: String) {
        #expect(expected(variant, 3000) == answer)
    }

    @Test(
        "A variant is a known direction and a known length", arguments: ["", "seal", "seal-17"])
    func unknown(_ variant: String) {
        #expect(Cells(variant: variant) == nil)
        #expect(throws: BenchError.self) { try FieldsWorkload.variant(variant) }
    }

    @Test("Each length has its own number of operations, fewer in a quick run")
    func operations() {
        for cells in Cells.all {
            let name = cells.variant
            let all = FieldsWorkload.operations(Sizes(), name)
            #expect(all > FieldsWorkload.operations(Sizes(isQuick: true), name))
            // Long values take longer.
            #expect((4_000...400_000).contains(all))
        }
    }

    @Test("Only the same length and direction are compared")
    func groups() {
        #expect(FieldsWorkload.group(of: "seal-16") != FieldsWorkload.group(of: "open-16"))
        #expect(FleetWorkload.group(of: "jobs") == nil)
    }

    @Test("Times are in nanoseconds, without settings that do not apply")
    func table() {
        let round = Outcomes.round(.fields, [Outcomes.series("lockstep", "seal-16", .fields, cpu: [412])])
        #expect(
            round.text == """
                fields: 1 operations, seal-16
                  peer        variant  CPU ns  least–most  wall ns  ours/peer  peak MiB  written  syncs
                  lockstep *  seal-16     412     412–412      412       1.00       2.0        –      –
                """)
    }
}
