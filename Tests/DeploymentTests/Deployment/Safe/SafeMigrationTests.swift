import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Safe migrations")
struct SafeMigrationTests {
    private let scratch: DeploymentScratch

    init() throws { scratch = try DeploymentScratch() }

    private func migration(_ set: MigrationSet) -> SafeMigration {
        SafeMigration(of: scratch.path, sets: [set])
    }

    /// Runs it and expects this error, this outcome, and an unchanged database.
    @discardableResult
    private func expectUndone(
        _ migration: SafeMigration, _ outcome: SafeMigrationReport.Outcome, _ code: LockstepError.Code?,
        sourceLocation: SourceLocation = #_sourceLocation, progress: JobProgress.Handler = { _ in }
    ) throws -> SafeMigrationReport {
        let before = try scratch.content()
        var report = SafeMigrationReport()
        do {
            try migration.run(scratch.access(), into: &report, progress: progress)
            Issue.record("nothing failed", sourceLocation: sourceLocation)
        } catch let error as LockstepError {
            #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        } catch is Stop {
            #expect(code == nil, sourceLocation: sourceLocation)
        }
        #expect(report.outcome == outcome, sourceLocation: sourceLocation)
        #expect(report.backup == nil, sourceLocation: sourceLocation)
        #expect(try scratch.content() == before, sourceLocation: sourceLocation)
        #expect(try scratch.names == ["data.db"], sourceLocation: sourceLocation)
        #expect(try PageAudit(scratch.path).run(key: scratch.database.key()).isClean, sourceLocation: sourceLocation)
        return report
    }

    @Test("A successful run migrates and verifies, and the backup has the previous content") func success() throws {
        let before = try scratch.content()
        var reported: [JobProgress] = []
        let report = try migration(DeploymentScratch.good()).run(scratch.access()) {
            reported.append($0)
        }
        #expect(report.outcome == .migrated && report.recovery == nil)
        #expect(report.migration.steps.map(\.version.description) == ["2", "3"])
        #expect(report.verification?.isClean == true)
        #expect(try scratch.applied() == ["1", "2", "3"])
        let backup = try #require(report.backup)
        #expect(try scratch.names == ["data.db", backup.lastComponent?.string])
        #expect(try DatabaseScratch.mode(of: backup) == 0o600)
        #expect(
            try DeploymentScratch.content(
                Connection.open(backup, key: scratch.database.key())) == before)
        let phases = reported.map(\.phase)
        #expect(phases.contains(.up.of("test 2")) && phases.contains(.up.of("test 3")))
        #expect(phases.contains(.verifying) && !phases.contains(.restoring))
        #expect(phases.contains(VerificationReport.Check.pages.phase))
        #expect(phases.first == .copying && reported.first?.hasEnded == true)
        #expect(report.time.duration > .zero)
        try scratch.expectSound(DeploymentScratch.good())
    }

    @Test("With nothing to do no backup is made")
    func nothing() throws {
        try migration(DeploymentScratch.good()).run(scratch.access())
        let names = try scratch.names
        let report = try migration(DeploymentScratch.good()).run(scratch.access())
        #expect(report.outcome == .nothingToDo && report.backup == nil)
        #expect(try scratch.names == names)
    }

    @Test("If the first version fails, nothing has to be restored")
    func rolledBack() throws {
        let set = try Scratch.set(DeploymentScratch.first, DeploymentScratch.failing)
        let report = try expectUndone(migration(set), .rolledBack, .migrationFailed)
        #expect(report.migration.steps.isEmpty)
    }

    @Test(
        "If a later version fails, the commits are undone, every row and the ledger included"
    )
    func restored() throws {
        let report = try expectUndone(migration(DeploymentScratch.failingAtThird()), .restored, .migrationFailed)
        #expect(report.migration.steps.map(\.version.description) == ["2"])
        // And again, until it succeeds.
        try expectUndone(
            migration(DeploymentScratch.failingAtThird()), .restored, .migrationFailed)
        try migration(DeploymentScratch.good()).run(scratch.access())
        try scratch.expectSound(DeploymentScratch.good())
    }

    @Test("A restored database is the database itself, and its backup was a copy")
    func roles() throws {
        let key = try scratch.database.key()
        do {
            let connection = try Connection.open(scratch.path, key: key)
            try connection.with(rights: .engine) {
                try connection.write { connection in _ = try KeyringTable.identify(connection) }
            }
        }
        var migration = try migration(DeploymentScratch.good())
        let folder = scratch.folder
        migration.check = { _ in
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path.string)
            let backup = try #require(names.first { $0.hasSuffix("before-migration") })
            let key = try scratch.database.key()
            #expect(try Connection.open(folder.file(backup), key: key).fileRole() == .copy)
            throw Stop()
        }
        var report = SafeMigrationReport()
        #expect(throws: Stop.self) { try migration.run(scratch.access(), into: &report) }
        #expect(report.outcome == .restored)
        #expect(try Connection.open(scratch.path, key: key).fileRole() == .original)
    }

    @Test("A failure in the second set undoes the first, too")
    func sets() throws {
        let other = try MigrationSet(name: "other", files: [("0001_x.sql", DeploymentScratch.failing)])
        let migration = SafeMigration(of: scratch.path, sets: [try DeploymentScratch.good(), other])
        let report = try expectUndone(migration, .restored, .migrationFailed)
        #expect(report.migration.steps.count == 2)
    }

    @Test("A way down is as safe as a way up")
    func down() throws {
        try migration(DeploymentScratch.good()).run(scratch.access())
        var migration = try migration(DeploymentScratch.good())
        migration.keep = 0
        migration.target = .back(2)
        #expect(try migration.run(scratch.access()).outcome == .migrated)
        #expect(try scratch.applied() == ["1"])
        migration.target = .latest
        try migration.run(scratch.access())
        migration.target = .version(MigrationVersion(1))
        migration.check = { _ in throw Stop() }
        try expectUndone(migration, .restored, nil)
        #expect(try scratch.applied() == ["1", "2", "3"])
    }

    // MARK: Checks

    @Test("A check that fails afterwards, but not before, restores the database") func verification() throws {
        let report = try expectUndone(migration(DeploymentScratch.driftingAtThird()), .restored, .verificationFailed)
        #expect(report.migration.steps.count == 2)
        #expect(report.verification?.outcomes.filter(\.hasFailed).map(\.check) == [.drift])
    }

    @Test("A check that also failed before is reported, and does not stop the migration") func knownFailure() throws {
        do {
            let connection = try scratch.database.open()
            try connection.execute("CREATE TABLE stray (x)")
        }
        let report = try migration(DeploymentScratch.good()).run(scratch.access())
        #expect(report.outcome == .migrated)
        #expect(report.verification?.isClean == false)
        #expect(report.migration.notices.map(\.code) == [.verificationFailed])
        #expect(report.migration.notices.first?.message.contains("stray") == true)
    }

    @Test(
        "The program's own check sees the migrated database, cannot write, and its errors count"
    )
    func ownCheck() throws {
        var migration = try migration(DeploymentScratch.good())
        migration.check = { connection in
            #expect(try Scratch.int(connection, "SELECT count(*) FROM tag") == 2)
            Refusal.expect(.readOnly) { try connection.execute("DELETE FROM tag") }
            throw Stop()
        }
        try expectUndone(migration, .restored, nil)
        migration.check = { _ in }
        #expect(try migration.run(scratch.access()).outcome == .migrated)
    }

    @Test("Errors from the progress closure count as well, at any point", arguments: [0, 1, 2])
    func progress(place: Int) throws {
        let last: [JobProgress.Phase] = [.up.of("test 2"), .up.of("test 3"), .verifying]
        var seen: [JobProgress.Phase] = []
        try expectUndone(migration(DeploymentScratch.good()), place == 0 ? .rolledBack : .restored, nil) { progress in
            seen.append(progress.phase)
            // It throws during the restore too, which goes on.
            if seen.contains(last[place]) { throw Stop() }
        }
        #expect(seen.last == (place == 0 ? last[0] : .restoring))
    }

    // MARK: Stopping

    @Test("Stopped within an endless statement, the database is unchanged")
    func stopping() throws {
        let endless = Scratch.up(
            "CREATE TABLE n (x);\nWITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
                + "INSERT INTO n SELECT x FROM c;")
        for (scripts, outcome) in [
            ([DeploymentScratch.first, endless], SafeMigrationReport.Outcome.rolledBack),
            ([DeploymentScratch.first, DeploymentScratch.second, endless], .restored),
        ] {
            // The statement reports nothing by itself: the last progress comes again.
            for error: LockstepError? in [nil, LockstepError(.interrupted, "stop")] {
                let migration = try migration(Scratch.set(scripts))
                var last: JobProgress?
                try expectUndone(migration, outcome, error?.code) { progress in
                    defer { last = progress }
                    guard progress == last, progress.phase == .up.of("test \(scripts.count)"), progress.step != nil
                    else { return }
                    if let error { throw error }
                    throw Stop()
                }
            }
        }
    }

    @Test("Cancelling its task ends it")
    func cancelling() async throws {
        let scratch = scratch
        let before = try scratch.content()
        let task = Task {
            let migration = SafeMigration(
                of: scratch.path, sets: [try DeploymentScratch.good()])
            try await JobThread.run {
                try migration.run(scratch.access()) { progress in
                    if progress.phase == .up.of("test 2"), progress.hasEnded {
                        withUnsafeCurrentTask { unsafe $0?.cancel() }
                    }
                }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try scratch.content() == before)
        #expect(try scratch.names == ["data.db"])
    }

    // MARK: Others

    @Test("Writes by others during the run are not lost: nothing is restored, and the backup stays")
    func othersWrote() throws {
        let before = try scratch.content()
        let migration = try migration(DeploymentScratch.failingAtThird())
        var report = SafeMigrationReport()
        var hasWritten = false
        let failure = #expect(throws: LockstepError.self) {
            try migration.run(scratch.access(), into: &report) { progress in
                guard progress.phase == .up.of("test 2"), progress.hasEnded, !hasWritten else {
                    return
                }
                hasWritten = true
                try scratch.add(1, to: scratch.database.open())
            }
        }
        #expect(failure?.code == .notRestored && report.outcome == .notRestored)
        #expect(failure?.message.contains("others have written") == true)
        #expect(failure?.message.contains("syntax error") == true)
        let backup = try #require(report.backup)
        #expect(failure?.hint?.contains("restore \(backup) with") == true)
        #expect(try scratch.applied() == ["1", "2"])
        #expect(try Scratch.int(scratch.database.open(), "SELECT count(*) FROM item") == 51)
        #expect(try scratch.names == ["data.db", backup.lastComponent?.string])
        try scratch.expectSound(DeploymentScratch.failingAtThird())
        // It can continue from there, or be restored by hand.
        let key = try scratch.database.key()
        try Restore(scratch.path, from: backup).run(key: key, backupKey: key)
        #expect(try scratch.content() == before)
    }

    @Test("Writes by others stay where nothing was committed, and need no message")
    func othersWroteRolledBack() throws {
        let set = try Scratch.set(DeploymentScratch.first, DeploymentScratch.failing)
        var report = SafeMigrationReport()
        var hasWritten = false
        Refusal.expect(.migrationFailed) {
            try migration(set).run(scratch.access(), into: &report) { progress in
                guard progress.phase == .copying, !hasWritten else { return }
                hasWritten = true
                try scratch.add(1, to: scratch.database.open())
            }
        }
        #expect(report.outcome == .rolledBack)
        #expect(try Scratch.int(scratch.database.open(), "SELECT count(*) FROM item") == 51)
        #expect(try scratch.names == ["data.db"])
    }

    @Test("Other programs that only read see the database restored")
    func readers() throws {
        let reader = try scratch.database.open()
        _ = try Scratch.int(reader, "SELECT count(*) FROM item")
        try expectUndone2(reader)
    }

    private func expectUndone2(_ reader: borrowing Connection) throws {
        let before = try DeploymentScratch.content(reader)
        Refusal.expect(.migrationFailed) {
            try migration(DeploymentScratch.failingAtThird()).run(scratch.access())
        }
        #expect(try DeploymentScratch.content(reader) == before)
    }
}
