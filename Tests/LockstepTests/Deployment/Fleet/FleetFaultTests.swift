import TestSupport
import Testing

@testable import Lockstep

/// Files of a fleet whose power goes: they have a sync for all versions, and none for each.
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
        "What was told is on the disk, also where a reader keeps the log from the file",
        arguments: ["fleet", "fleet-read"])
    func told(action: String) async throws {
        let original = try original()
        let calls = try await SafeVictim(copying: original).run(action)
        let told = try #require(calls.calls.first { $0.name == "told" }?.number)
        // Even numbers lose all that was not synced, odd ones a part of it.
        for call in [told, told + 1] where call <= calls.count {
            let victim = try SafeVictim(copying: original)
            try victim.makeLost()
            #expect(try await victim.run(action, "lose", at: call).outcome == .killed)
            #expect(try victim.version() == 3)
            try victim.expectNoFault("\(action) at call \(call)")
        }
    }

    @Test(
        "Before that, power lost or killed, ledger, schema and rows are in step",
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
