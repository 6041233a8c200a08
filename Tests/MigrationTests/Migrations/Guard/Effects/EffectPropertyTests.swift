import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

private let effectSeed = ProcessInfo.processInfo.environment["LOCKSTEP_EFFECT_SEED"].flatMap { UInt64($0) }

/// A version whose effects are all said or declared passes; with one declaration fewer, or one effect more, it is stopped.
@Suite("The guard against a model of effects")
struct EffectPropertyTests {
    private static let campaign = Campaign("EffectPropertyTests", parts: 4)

    private struct Tally {
        var scripts = 0
        var skipped = 0
        var declarations = 0
        var stopped = 0
        var problems: [String] = []
    }

    @Test("Random scripts need exactly the declarations of the model", arguments: 0..<4)
    func sameEffects(_ block: Int) throws {
        let start = Torture.campaignSeed &* 1_000_003 &+ UInt64(block) << 40
        guard let part = Self.campaign.begin("from \(start)") else { return }
        defer { part.end() }
        var tally = Tally()
        var done = 0
        while part.goesOn(after: done, of: 50) {
            try run(start &+ UInt64(done), &tally)
            done += 1
        }
        part.count("scripts", tally.scripts)
        part.count("declarations", tally.declarations)
        part.count("stopped", tally.stopped)
        part.count("skipped", tally.skipped)
        for problem in tally.problems.prefix(3) { Issue.record("\(problem)") }
        if done >= 50 { #expect(tally.scripts > done / 3 && tally.stopped > 5, "the scripts try too little") }
    }

    @Test("Control: a comparison that leaves one column out is caught")
    func control() throws {
        var tally = Tally()
        try RowComparison.$leftOut.withValue("v") {
            for seed in 0..<300 where tally.problems.isEmpty { try run(UInt64(seed), &tally) }
        }
        #expect(!tally.problems.isEmpty)
    }

    @Test(
        "Repeats one seed: LOCKSTEP_EFFECT_SEED=…",
        .enabled(if: effectSeed != nil, "LOCKSTEP_EFFECT_SEED is not set"))
    func again() throws {
        var tally = Tally()
        try run(#require(effectSeed), &tally)
        for problem in tally.problems { Issue.record("\(problem)") }
    }

    // MARK: One script

    /// Runs a version after the schema; the code and message of its error, or nil.
    private func outcome(_ script: EffectScript, _ declarations: [String]) throws -> (LockstepError?, EffectModel) {
        let connection = try Connection.inMemory()
        try connection.run(script: script.schema.joined(separator: ";\n"))
        let set = try Scratch.set(Scratch.up("CREATE TABLE first (x);"), script.text(declarations))
        do {
            _ = try Migrator(set).run(on: connection)
            return (nil, try EffectModel(connection))
        } catch let error as LockstepError {
            return (error, try EffectModel(connection))
        }
    }

    /// The declarations that the model wants; nil if the script cannot run.
    private func needed(_ script: EffectScript) throws -> Set<String>? {
        let connection = try Connection.inMemory()
        try connection.run(script: script.schema.joined(separator: ";\n"))
        let before = try EffectModel(connection)
        let all = EffectScript.tables.keys.sorted().flatMap { ["allow loss of table \($0)", "unchecked table \($0)"] }
        let (error, after) = try outcome(script, all + ["allow broken references of table c"])
        guard error == nil else { return nil }
        // What breaks references is not the subject.
        guard try outcome(script, all).0 == nil else { return nil }
        return after.needed(since: before, script.said)
    }

    private func run(_ seed: UInt64, _ tally: inout Tally) throws {
        let script = EffectScript(seed: seed)
        guard let needed = try needed(script).map({ $0.sorted() }) else {
            tally.skipped += 1
            return
        }
        tally.scripts += 1
        tally.declarations += needed.count
        func report(_ what: String, _ script: EffectScript, _ error: LockstepError?) {
            tally.problems.append(
                "seed \(seed): \(what)\nneeded: \(needed)\ngot: \(error?.message ?? "nothing")\n"
                    + (script.schema + ["--"] + script.statements).joined(separator: ";\n"))
        }
        let (refusal, _) = try outcome(script, needed)
        if let refusal { return report("declared exactly, and stopped", script, refusal) }
        for left in needed.indices {
            var some = needed
            some.remove(at: left)
            let (error, _) = try outcome(script, some)
            guard let error, [.rowsLost, .valuesLost].contains(error.code) else {
                return report("without \(needed[left]), and not stopped", script, error)
            }
            tally.stopped += 1
        }
        let longer = script.extended()
        guard let more = try self.needed(longer), !more.isSubset(of: needed) else { return }
        let (error, _) = try outcome(longer, needed)
        guard let error, [.rowsLost, .valuesLost].contains(error.code) else {
            return report("one effect more (\(more.subtracting(needed))), and not stopped", longer, error)
        }
        tally.stopped += 1
    }
}
