import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Sealing, unsealing and sealing again, killed or hindered at any of the system calls that change files.
@Suite("Interrupted sealing", .enabled(if: FaultyWorker.isAble, "not Linux")) struct SealingFaultTests {
    private static let campaign = Campaign("SealingFaultTests", parts: 2 * SealingVictim.Kind.allCases.count + 1)

    private static func victim(
        _ kind: SealingVictim.Kind
    ) async throws -> (SealingVictim, FaultyWorker.Run) {
        let original = try SealingVictim(kind)
        let whole = try SealingVictim(copying: original)
        let run = try await whole.run()
        #expect(run.outcome == .succeeded, Comment(rawValue: run.reported))
        #expect(try whole.border() == original.borders.count - 1)
        return (original, run)
    }

    @Test("Each victim passes enough distinct borders", arguments: SealingVictim.Kind.allCases)
    func victims(kind: SealingVictim.Kind) async throws {
        let (original, run) = try await Self.victim(kind)
        // At least the state before it, its beginning, five batches, and its end.
        #expect(original.borders.count >= (kind == .rotate ? 7 : 8), "\(original.borders)")
        #expect(Set(original.borders).count == original.borders.count)
        #expect(run.count > 100)
    }

    @Test(
        "Killed at any call, every cell is readable in one state, and the next run completes",
        arguments: SealingVictim.Kind.allCases)
    func kill(kind: SealingVictim.Kind) async throws {
        guard let part = Self.campaign.begin("kill, \(kind)") else { return }
        defer { part.end() }
        let (original, whole) = try await Self.victim(kind)
        var seen: Set<Int> = []
        for fault in Torture.isLong ? ["tear", "kill"] : ["tear"] {
            var last = 0
            for call in whole.chosen(5, inTorture: 400) where part.goesOn() {
                let victim = try SealingVictim(copying: original)
                #expect(try await victim.run(fault, at: call).outcome == .killed)
                part.count("kills")
                let context: Comment = "\(kind), \(fault) at \(call) of \(whole.count)"
                let border = try victim.border()
                #expect(border != nil, context)
                #expect(border ?? last >= last, context)
                last = border ?? last
                seen.insert(last)
                try victim.expectCompletion(context)
            }
        }
        part.count("borders", seen.count)
        guard part.isComplete(for: "the borders") else { return }
        #expect(seen.count > 2)
        #expect(!Torture.isLong || seen.count == original.borders.count)
    }

    @Test(
        "A safe migration that was killed while it seals is completed by the next, and not undone")
    func killSafe() async throws {
        guard let part = Self.campaign.begin("killSafe") else { return }
        defer { part.end() }
        let original = try SealingVictim(.protect)
        let whole = try await SealingVictim(copying: original).runSafely()
        #expect(whole.outcome == .succeeded, Comment(rawValue: whole.reported))
        for call in whole.chosen(5, inTorture: 400) where part.goesOn() {
            let victim = try SealingVictim(copying: original)
            #expect(try await victim.runSafely("kill", at: call).outcome == .killed)
            part.count("kills")
            try victim.expectSafeCompletion("killed at \(call) of \(whole.count)")
        }
    }

    @Test(
        "The same holds after a loss of power, a failing call and a full disk",
        arguments: SealingVictim.Kind.allCases)
    func faults(kind: SealingVictim.Kind) async throws {
        guard let part = Self.campaign.begin("faults, \(kind)") else { return }
        defer { part.end() }
        let (original, whole) = try await Self.victim(kind)
        var ends = 0
        for (index, fault) in ["lose", "once", "staying", "full"].enumerated() {
            for call in whole.chosen(2, inTorture: 60) where part.goesOn() {
                let call = Torture.isLong ? call : min(call + index, whole.count)
                let victim = try SealingVictim(copying: original)
                if fault == "lose" { try victim.makeLost() }
                let run = try await victim.run(fault, at: call)
                if run.outcome != .succeeded { ends += 1 }
                let context = Comment(rawValue: "\(kind), \(fault) at \(call) of \(whole.count): " + run.reported)
                if run.outcome == .failed { #expect(run.reported.contains("\nhint: "), context) }
                #expect(try victim.border() != nil, context)
                try victim.expectCompletion(context)
            }
        }
        part.count("failures", ends)
        if part.isComplete(for: "the failures") { #expect(ends > 4) }
    }
}
