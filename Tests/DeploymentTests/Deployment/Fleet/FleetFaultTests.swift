import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A power failure in a fleet: its files are synced once for all versions, and not once for each.
@Suite(
    "Interrupted fleets",
    .enabled(if: FaultyWorker.isAble, "not Linux"))
struct FleetFaultTests {
    private func original() throws -> SafeVictim {
        try SafeVictim([
            DeploymentScratch.first, DeploymentScratch.second, DeploymentScratch.third,
        ])
    }

    @Test(
        "Reported files are on the disk, even if a reader delays the checkpoint",
        arguments: ["fleet", "fleet-read"])
    func reported(action: String) async throws {
        let original = try original()
        let calls = try await SafeVictim(copying: original).run(action)
        let reported = try #require(calls.calls.first { $0.name == "reported" }?.number)
        // Even numbers lose everything unsynced, odd ones a part of it.
        for call in [reported, reported + 1] where call <= calls.count {
            let victim = try SafeVictim(copying: original)
            try victim.makeLost()
            #expect(try await victim.run(action, "lose", at: call).outcome == .killed)
            #expect(try victim.version() == 3)
            try victim.expectNoFault("\(action) at call \(call)")
        }
    }

    @Test(
        "Before that, after a power loss or a kill, ledger, schema and rows are consistent",
        arguments: ["lose", "tear"])
    func before(fault: String) async throws {
        let original = try original()
        let calls = try await SafeVictim(copying: original).run("fleet")
        var seen: Set<Int> = []
        for call in stride(from: 1, through: calls.count, by: 2) {
            let victim = try SafeVictim(copying: original)
            try victim.makeLost()
            #expect(try await victim.run("fleet", fault, at: call).outcome == .killed)
            seen.insert(try victim.version())
            try victim.expectNoFault("\(fault) at call \(call)")
        }
        #expect(seen.contains(1) && seen.contains(3))
    }
}
