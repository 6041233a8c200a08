import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A migration that is killed, or whose system calls fail, at any call that changes files.
@Suite("Interrupted migrations", .enabled(if: FaultyWorker.isAble, "not Linux")) struct MigrationFaultTests {
    private static let campaign = Campaign(
        "MigrationFaultTests", parts: 3 * PlainVictim.Kind.allCases.count * actions.count)
    /// With the log, and with a rollback journal instead.
    private static let actions = ["plain", "plain-journal"]

    private static func victim(
        _ kind: PlainVictim.Kind, _ action: String
    ) async throws -> (PlainVictim, FaultyWorker.Run) {
        let original = try PlainVictim(kind, journal: action == "plain-journal")
        let whole = try PlainVictim(copying: original)
        let run = try await whole.run(action)
        #expect(run.outcome == .succeeded, "\(run.reported)")
        #expect(try whole.border() == original.borders.count - 1)
        return (original, run)
    }

    @Test("The victims have distinct borders, and calls between them")
    func victims() async throws {
        // Before the first version, and after each. A backfill has one after each of its transactions: the column, five
        // batches, the empty last batch, and the index, which ends the version.
        for (kind, borders) in [(PlainVictim.Kind.plain, 4), (.rebuild, 3), (.backfill, 10)] {
            let (original, run) = try await Self.victim(kind, "plain")
            #expect(original.borders.count == borders, "\(kind)")
            #expect(Set(original.borders).count == borders, "\(kind)")
            #expect(run.count > 100, "\(kind)")
        }
    }

    @Test(
        "Killed at any call, the database is at a border, and the next run completes",
        arguments: PlainVictim.Kind.allCases, actions)
    func kill(kind: PlainVictim.Kind, action: String) async throws {
        guard let part = Self.campaign.begin("kill, \(kind), \(action)") else { return }
        defer { part.end() }
        let (original, whole) = try await Self.victim(kind, action)
        // Without a log the last commit is the last call that changes a file.
        let reached = original.borders.count - (action == "plain" ? 0 : 1)
        var seen: Set<Int> = []
        for fault in Torture.isLong ? ["tear", "kill"] : ["tear"] {
            var last = 0
            for call in whole.chosen(7, inTorture: 600) where part.goesOn() {
                let victim = try PlainVictim(copying: original)
                #expect(try await victim.run(action, fault, at: call).outcome == .killed)
                part.count("kills")
                let context: Comment = "\(kind), \(action), \(fault) at \(call) of \(whole.count)"
                let border = try victim.border()
                #expect(border != nil, context)
                // A commit before an earlier call is also before a later one.
                #expect(border ?? last >= last, context)
                last = border ?? last
                seen.insert(last)
                try victim.expectCompletion(context)
            }
        }
        part.count("borders", seen.count)
        guard part.isComplete(for: "the borders") else { return }
        #expect(seen.contains(0) && seen.contains(reached - 1))
        #expect(!Torture.isLong || seen.count == reached)
    }

    @Test(
        "The same holds if the power fails and unsynced data is lost",
        arguments: PlainVictim.Kind.allCases, actions)
    func power(kind: PlainVictim.Kind, action: String) async throws {
        guard let part = Self.campaign.begin("power, \(kind), \(action)") else { return }
        defer { part.end() }
        let (original, whole) = try await Self.victim(kind, action)
        for call in whole.chosen(3, inTorture: 100) where part.goesOn() {
            let victim = try PlainVictim(copying: original)
            try victim.makeLost()
            #expect(try await victim.run(action, "lose", at: call).outcome == .killed)
            part.count("losses of power")
            let context: Comment = "\(kind), \(action), power lost at \(call) of \(whole.count)"
            #expect(try victim.border() != nil, context)
            try victim.expectCompletion(context)
        }
    }

    @Test(
        "The same holds if a call fails, or the disk is full from there on; the error has the place",
        arguments: PlainVictim.Kind.allCases, actions)
    func faults(kind: PlainVictim.Kind, action: String) async throws {
        guard let part = Self.campaign.begin("faults, \(kind), \(action)") else { return }
        defer { part.end() }
        let (original, whole) = try await Self.victim(kind, action)
        var failures = 0
        for (index, fault) in ["once", "staying", "full"].enumerated() {
            for call in whole.chosen(3, inTorture: 100) where part.goesOn() {
                // In the short campaign each meets different calls.
                let call = Torture.isLong ? call : min(call + index, whole.count)
                let victim = try PlainVictim(copying: original)
                let run = try await victim.run(action, fault, at: call)
                let context: Comment = "\(kind), \(action), \(fault) at \(call) of \(whole.count): \(run.reported)"
                if run.outcome == .failed {
                    failures += 1
                    // A connection that cannot be opened has no file to name.
                    #expect(
                        run.reported.contains(
                            /^(full|input-output): (opening|test\/000\d_step.sql:)/),
                        context)
                    #expect(run.reported.contains("\nhint: "), context)
                }
                #expect(try victim.border() != nil, context)
                try victim.expectCompletion(context)
            }
        }
        part.count("failures", failures)
        if part.isComplete(for: "the failures") { #expect(failures > 3) }
    }

    @Test("A full disk in the middle of a backfill is reported with the batch's statement")
    func fullBackfill() async throws {
        let (original, whole) = try await Self.victim(.backfill, "plain")
        var seen: Set<Int> = []
        var inBatch = 0
        for call in stride(from: whole.count / 4, to: whole.count / 4 * 3, by: whole.count / 14) {
            let victim = try PlainVictim(copying: original)
            let run = try await victim.run("plain", "full", at: call)
            #expect(run.outcome == .failed, "\(call)")
            seen.insert(try #require(try victim.border()))
            try victim.expectCompletion("full at \(call)")
            guard run.reported.contains(" in: UPDATE item SET size") else { continue }
            inBatch += 1
            #expect(run.reported.hasPrefix("full: test/0002_step.sql:4: database or disk is full"), "\(run.reported)")
            #expect(run.reported.contains("\nhint: free some space"), "\(run.reported)")
        }
        // After the column, and after batches.
        #expect(seen.count > 1 && seen.isSubset(of: 1...8), "\(seen.sorted())")
        #expect(inBatch > 0)
    }

    // MARK: Controls

    @Test("Negative control: a note in a transaction of its own is noticed")
    func notedApart() async throws {
        let original = try PlainVictim(.plain)
        let whole = try await PlainVictim(copying: original).run("apart")
        var faults = 0
        for call in whole.chosen(12) {
            let victim = try PlainVictim(copying: original)
            #expect(try await victim.run("apart", "kill", at: call).outcome == .killed)
            if try victim.border() == nil { faults += 1 }
        }
        #expect(faults > 1)
    }

    @Test(
        "Negative control: on a disk that only claims to have synced, a loss of power is noticed",
        arguments: actions)
    func lyingDisk(action: String) async throws {
        let (original, whole) = try await Self.victim(.plain, action)
        var faults = 0
        for call in stride(from: whole.count - 1, to: 1, by: -max(whole.count / 8, 1)) {
            let victim = try PlainVictim(copying: original)
            try victim.makeLost()
            _ = try await victim.run(action, "lie", at: call | 1)
            do {
                if try victim.border() == nil { faults += 1 }
            } catch {
                faults += 1
            }
        }
        #expect(faults > 0)
    }
}
