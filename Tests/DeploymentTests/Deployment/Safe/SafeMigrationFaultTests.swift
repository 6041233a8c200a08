import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A safe migration that is killed, or whose system calls fail, at any call that changes files.
@Suite(
    "Interrupted safe migrations",
    .enabled(if: FaultyWorker.isAble, "not Linux"))
struct SafeMigrationFaultTests {
    private static let campaign = Campaign("SafeMigrationFaultTests", parts: 12)

    /// Sets that succeed, that fail at version 3, and whose verification fails afterwards.
    private static let scripts = [
        "good": [DeploymentScratch.first, DeploymentScratch.second, DeploymentScratch.third],
        "failing": [DeploymentScratch.first, DeploymentScratch.second, DeploymentScratch.failing],
    ]

    private static func victim(_ name: String) throws -> SafeVictim {
        try SafeVictim(scripts[name] ?? [])
    }

    @Test("Each step is on the disk before the next one begins")
    func order() async throws {
        let victim = try Self.victim("failing")
        let run = try await victim.run("safe")
        #expect(run.outcome == .failed)
        #expect(run.count > 40)
        let calls = run.calls
        func position(_ action: String, _ isName: (String) -> Bool, from start: Int) throws -> Int {
            let index = calls[start...].firstIndex { $0.action == action && isName($0.name) }
            return try #require(index, "\(action) in \(calls)")
        }
        func isJournal(_ name: String) -> Bool { name.hasPrefix(".data.db.safe-migration.") }
        let backup = try position("link", { $0.hasSuffix(".before-migration") }, from: 0)
        #expect(calls[backup - 1].action == "sync")
        let migrating = try position("create", isJournal, from: backup)
        #expect(calls[(backup + 1)..<migrating].contains { $0.action == "sync" })
        #expect(calls[migrating...].prefix(5).map(\.action) == ["create", "write", "sync", "rename", "sync"])
        let restoring = try position("create", isJournal, from: migrating + 1)
        let written = try position("write", { $0 == "data.db-wal" }, from: restoring)
        let synced = try position("sync", { $0 == "data.db-wal" }, from: written)
        let forgotten = try position("unlink", { $0 == "data.db.safe-migration" }, from: synced)
        #expect(calls[forgotten + 1].action == "sync" && calls[forgotten + 1].name == ".")
        _ = try position("unlink", { $0.hasSuffix(".before-migration") }, from: forgotten + 1)
    }

    @Test(
        "Killed at any call, ledger, schema and rows are consistent, and the next run completes",
        arguments: ["good", "failing"])
    func kill(name: String) async throws {
        guard let part = Self.campaign.begin("kill, \(name)") else { return }
        defer { part.end() }
        let original = try Self.victim(name)
        let calls = try await SafeVictim(copying: original).run("safe")
        for call in calls.chosen(6) {
            for fault in Torture.isLong ? ["tear", "kill"] : ["tear"] where part.goesOn() {
                let victim = try SafeVictim(copying: original)
                #expect(try await victim.run("safe", fault, at: call).outcome == .killed)
                part.count("kills")
                let context: Comment = "\(name), \(fault) at call \(call) of \(calls.count)"
                try victim.expectNoFault(context)
                try victim.expectCompletion(context)
            }
        }
    }

    @Test(
        "The same holds if the power fails and unsynced data is lost",
        arguments: ["good", "failing"])
    func power(name: String) async throws {
        guard let part = Self.campaign.begin("power, \(name)") else { return }
        defer { part.end() }
        let original = try Self.victim(name)
        let calls = try await SafeVictim(copying: original).run("safe")
        for call in calls.chosen(4) {
            // Loses everything unsynced, or a part of it: the parity of the call decides.
            for call in Torture.isLong ? [call, call + 1] : [call] where call <= calls.count && part.goesOn() {
                let victim = try SafeVictim(copying: original)
                try victim.makeLost()
                #expect(try await victim.run("safe", "lose", at: call).outcome == .killed)
                part.count("losses of power")
                let context: Comment = "\(name), power lost at call \(call) of \(calls.count)"
                try victim.expectNoFault(context)
                try victim.expectCompletion(context)
            }
        }
    }

    @Test("Killed, and killed again in the following run", arguments: ["good", "failing"])
    func killTwice(name: String) async throws {
        guard let part = Self.campaign.begin("killTwice, \(name)") else { return }
        defer { part.end() }
        let original = try Self.victim(name)
        let calls = try await SafeVictim(copying: original).run("safe")
        let steps = calls.calls.map(\.number)
        let step = max(steps.count / (Torture.isLong ? 30 : 2), 1)
        for first in stride(from: 1, to: steps.count, by: step) {
            for second in stride(from: 2, to: steps.count, by: step) where part.goesOn() {
                let victim = try SafeVictim(copying: original)
                _ = try await victim.run("safe", "kill", at: steps[first])
                _ = try await victim.run("safe", "tear", at: steps[second])
                let context: Comment = "\(name) at \(steps[first]), and again at \(steps[second])"
                try victim.expectNoFault(context)
                try victim.expectCompletion(context)
            }
        }
    }

    @Test(
        "The same holds if a call fails, or the disk is full from there on",
        arguments: ["once", "staying", "full"], ["good", "failing"])
    func faults(fault: String, name: String) async throws {
        guard let part = Self.campaign.begin("faults, \(fault), \(name)") else { return }
        defer { part.end() }
        let original = try Self.victim(name)
        let calls = try await SafeVictim(copying: original).run("safe")
        var failures = 0
        for call in calls.chosen(4) where part.goesOn() {
            let victim = try SafeVictim(copying: original)
            let outcome = try await victim.run("safe", fault, at: call).outcome
            if outcome == .failed { failures += 1 }
            let context: Comment = "\(name), \(fault) at call \(call) of \(calls.count): \(outcome)"
            try victim.expectNoFault(context)
            try victim.expectCompletion(context)
        }
        part.count("failures", failures)
        if part.isComplete(for: "the failures") { #expect(failures > 1) }
    }

    // MARK: Crash loops

    @Test(
        "Killed repeatedly, it does not fill the disk, and keeps the backup from before the first run"
    )
    func crashLoop() async throws {
        let victim = try Self.victim("good")
        var first: String?
        for _ in 0..<7 {
            #expect(try await victim.run("die-migrating").outcome == .killed)
            let backups = try victim.names.filter { $0.hasSuffix(".before-migration") }.sorted()
            first = first ?? backups.first
            #expect(backups.contains(try #require(first)))
            // The first, the retained ones, and that of the run itself.
            #expect(backups.count <= 5)
            #expect(try victim.names.allSatisfy { !$0.hasSuffix(".new") })
        }
        #expect(try victim.version() == 2)
        let origin = try Connection.open(victim.folder.file(try #require(first)), key: victim.database.key())
        #expect(try Ledger.entries(origin).count == 1)
        try victim.expectCompletion("after a crash loop")
    }

    @Test(
        "Killed repeatedly in the program's check, it makes no further backups, and verifies")
    func crashingCheck() async throws {
        let victim = try Self.victim("good")
        for _ in 0..<3 {
            #expect(try await victim.run("die-checking").outcome == .killed)
            #expect(try victim.version() == 3)
            #expect(try victim.names.count { $0.hasSuffix(".before-migration") } == 1)
        }
        let migration = SafeMigration(of: victim.database.path, sets: [try DeploymentScratch.good()])
        let report = try await JobThread.run {
            try migration.run(DatabaseAccess(rawKey: victim.database.key()))
        }
        #expect(report.outcome == .migrated && report.recovery == .continued)
        #expect(report.verification?.isClean == true)
        try victim.expectCompletion("after a check that crashed")
    }

    // MARK: Controls

    @Test("Negative control: a backup written over the file is noticed")
    func wrongWay() async throws {
        let original = try Self.victim("failing")
        let calls = try await SafeVictim(copying: original).run("copy-back")
        var faults = 0
        for call in (calls.count - 8)...calls.count {
            let victim = try SafeVictim(copying: original)
            #expect(try await victim.run("copy-back", "tear", at: call).outcome == .killed)
            if try victim.findFault() != nil { faults += 1 }
        }
        #expect(faults > 3)
    }

    @Test(
        "Negative control: on a disk that only claims to have synced, a loss of power is noticed")
    func lyingDisk() async throws {
        let original = try Self.victim("failing")
        let calls = try await SafeVictim(copying: original).run("safe")
        var faults = 0
        for call in stride(from: calls.count - 1 - calls.count % 2, to: calls.count / 2, by: -6) {
            let victim = try SafeVictim(copying: original)
            try victim.makeLost()
            _ = try await victim.run("safe", "lie", at: call)
            do {
                if try victim.findFault() != nil { faults += 1 }
            } catch {
                faults += 1
            }
        }
        #expect(faults > 0)
    }
}
