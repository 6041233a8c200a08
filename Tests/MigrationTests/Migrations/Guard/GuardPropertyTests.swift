import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

private let guardSeed = ProcessInfo.processInfo.environment["LOCKSTEP_GUARD_SEED"].flatMap {
    UInt64($0)
}

/// Whatever a migration does, the guard's verdict on references and definitions after measuring the touched objects
/// equals the verdict after measuring everything.
@Suite("The guard against its oracle")
struct GuardPropertyTests {
    private static let campaign = Campaign("GuardPropertyTests", parts: 8)

    /// The comparable part of a check's result.
    private struct Verdict: Equatable {
        var code: LockstepError.Code?
        var message = ""

        init(_ check: () throws -> Void) {
            do {
                try check()
            } catch let error as LockstepError {
                code = error.code
                message = error.message
            } catch {
                message = "\(error)"
            }
        }
    }

    /// Counts the cases, so that a generator that tests nothing is noticed.
    private struct Tally {
        var migrations = 0
        var statements = 0
        var codes: [LockstepError.Code?: Int] = [:]
    }

    @Test("Random migrations get the same verdict from both", arguments: 0..<8)
    func sameVerdict(_ block: Int) throws {
        let start = Torture.campaignSeed &* 1_000_003 &+ UInt64(block) << 40
        guard let part = Self.campaign.begin("from \(start)") else { return }
        defer { part.end() }
        var done = 0
        var tally = Tally()
        while part.goesOn(after: done, of: 40) {
            try run(start &+ UInt64(done), &tally)
            done += 1
        }
        part.count("migrations", tally.migrations)
        part.count("statements", tally.statements)
        let names = tally.codes.map { ($0.key?.rawValue ?? "sound", $0.value) }
        for (name, count) in names.sorted(by: <) { part.count(name, count) }
        if done >= 40 { #expect(tally.codes.count >= 3, "the scripts try too little") }
    }

    @Test(
        "Repeats one seed step by step: LOCKSTEP_GUARD_SEED=…",
        .enabled(if: guardSeed != nil, "LOCKSTEP_GUARD_SEED is not set"))
    func again() throws {
        var tally = Tally()
        try run(#require(guardSeed), &tally)
    }

    private func run(_ seed: UInt64, _ tally: inout Tally) throws {
        var script = RandomScript(seed: seed)
        let connection = try Connection.inMemory()
        try connection.execute("PRAGMA foreign_keys = OFF")
        if script.chance(60) { try connection.run(script: RandomScript.family) }
        for _ in 0..<script.count(0...15) {
            // A database that has had worse than migrations; many of these statements fail.
            try? connection.run(script: script.statement())
        }
        var known: GuardCache?
        for _ in 0..<script.count(2...6) {
            let hasForeignKeys = script.chance(60)
            try connection.setPragma("foreign_keys", hasForeignKeys ? "ON" : "OFF")
            var statements: [String] = []
            for _ in 0..<script.count(1...6) { statements.append(script.statement()) }
            var allowances = Allowances()
            if script.chance(50) { allowances.brokenReferences = [table(&script), table(&script)] }
            try migrate(statements, allowances, &known, seed, connection, &tally)
        }
    }

    /// A table name as directives spell it.
    private func table(_ script: inout RandomScript) -> SQLName {
        SQLName(SQLTokens.unquote(script.table()))
    }

    private func migrate(
        _ statements: [String], _ allowances: Allowances, _ known: inout GuardCache?,
        _ seed: UInt64,
        _ connection: borrowing Connection, _ tally: inout Tally
    ) throws {
        let transaction = try Transaction(.immediate, on: connection)
        let before = try FullSchemaGuard(connection)
        connection.authorizer.tableChanges = TableChanges()
        // `EffectPropertyTests` is about rows.
        var counting = allowances
        (counting.losses, counting.unchecked) = (before.names, before.names)
        let guarding = try GuardCache.current(known, counting, connection)
        defer { guarding.stop() }
        known = nil
        var ran: [String] = []
        for statement in statements {
            do {
                try connection.with(rights: .migration) { try connection.run(script: statement) }
                ran.append(statement)
            } catch let error as LockstepError {
                // A runner would stop here; code that runs SQL can go on.
                ran.append("\(statement) -- \(error.code): \(error.message)")
            }
            guard connection.isInTransaction else { return }
        }
        let changes = connection.authorizer.tableChanges
        let verdict = Verdict {
            _ = try guarding.requireSound(counting, changes)
        }
        let after = try FullSchemaGuard(connection)
        // Where such a reference leads to nothing, triggers on other tables can fail to fire, too; the guard does
        // not report that.
        guard !after.hasBrokenReferences(of: allowances.brokenReferences) else { return }
        let due = Verdict {
            try after.requireOwnNames(since: before)
            try after.requireNothingBroken(since: before, allowed: allowances.brokenReferences)
        }
        tally.migrations += 1
        tally.statements += statements.count
        tally.codes[due.code, default: 0] += 1
        if guardSeed != nil {
            print((ran + ["-> \(due)"]).joined(separator: ";\n"))
        }
        if verdict != due {
            let story = [
                "seed \(seed), \(allowances), foreign keys "
                    + "\(try connection.value("PRAGMA foreign_keys", as: Int.self) ?? 0)",
                "guard: \(verdict.message)", "due: \(due.message)", "ran:",
                ran.joined(separator: ";\n"),
                "schema now:", try schema(connection),
            ]
            Issue.record("\(story.joined(separator: "\n"))")
        }
        guard verdict.code == nil, verdict.message.isEmpty else { return }
        known = try GuardCache(guarding, connection)
        do {
            try transaction.commit()
        } catch {
            // A deferred reference that leads nowhere: a runner stops here, and the guard's knowledge was rolled back.
            known = nil
        }
        if connection.isInTransaction { known = nil }
    }

    private func schema(_ connection: borrowing Connection) throws -> String {
        try connection.query("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL") { row in
            try row[0] as String
        }.joined(separator: "\n")
    }
}
