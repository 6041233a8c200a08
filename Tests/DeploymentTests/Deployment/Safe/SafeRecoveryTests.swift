import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Recovery after killed safe migrations")
struct SafeRecoveryTests {
    private let scratch: DeploymentScratch
    private let backup: FilePath

    /// A database of which a run has made a backup.
    init() throws {
        scratch = try DeploymentScratch()
        backup = try MigrationBackups(
            of: scratch.path, in: nil, keys: [SharedSecret(scratch.database.key())]
        ).make(scratch.database.open(), scratch.database.key(), schema: ConnectionOptions()) { _ in
        }
    }

    /// Takes the database to a version of the set, as a killed run does, and leaves the run's journal.
    private func leave(
        _ phase: SafeJournal.Phase, _ set: MigrationSet, at version: UInt64, isMarked: Bool = true
    ) throws {
        let connection = try scratch.database.open()
        _ = try Migrator(set).run(.version(MigrationVersion(version)), on: connection)
        let mark = isMarked ? try connection.contentDigest() : nil
        try SafeJournal(phase: phase, backup: backup, content: mark).write(of: scratch.path)
    }

    private func run(
        _ set: MigrationSet, _ report: inout SafeMigrationReport
    ) throws {
        try SafeMigration(of: scratch.path, sets: [set]).run(scratch.access(), into: &report)
    }

    private func expectNotRestored(
        _ set: MigrationSet, _ word: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var report = SafeMigrationReport()
        let failure = #expect(throws: LockstepError.self, sourceLocation: sourceLocation) {
            try run(set, &report)
        }
        #expect(failure?.code == .notRestored, sourceLocation: sourceLocation)
        #expect(failure?.message.contains(word) == true, "\(failure as Any)", sourceLocation: sourceLocation)
        #expect(report.outcome == .notRestored, sourceLocation: sourceLocation)
    }

    private func hasJournal() -> Bool { FileAccess.exists(SafeJournal.path(of: scratch.path)) }

    // MARK: Migrating

    @Test(
        "Killed between versions, the next run continues after its own backup, and keeps the first"
    )
    func migrating() throws {
        try leave(.migrating, DeploymentScratch.good(), at: 2)
        var report = SafeMigrationReport()
        Refusal.expect(.migrationFailed) { try run(DeploymentScratch.failingAtThird(), &report) }
        #expect(report.outcome == .rolledBack && report.recovery == .continued)
        #expect(try scratch.applied() == ["1", "2"])
        #expect(try scratch.backups == [backup.lastComponent?.string])
        #expect(try SafeJournal.read(of: scratch.path)?.backup == backup)
        // Whatever the retention, until a run succeeds.
        var migration = SafeMigration(of: scratch.path, sets: [try DeploymentScratch.good()])
        migration.keep = 0
        let last = try migration.run(scratch.access())
        #expect(last.outcome == .migrated && last.recovery == .continued)
        #expect(try scratch.names == ["data.db"])
        try scratch.expectSound(DeploymentScratch.good())
    }

    @Test(
        "Restored to where a killed run left it, it is at that run's version, and the first backup stays"
    )
    func restoredBehindKilled() throws {
        try leave(.migrating, DeploymentScratch.good(), at: 2)
        let before = try scratch.content()
        let set = try Scratch.set(
            DeploymentScratch.first, DeploymentScratch.second, DeploymentScratch.third, DeploymentScratch.failing)
        var report = SafeMigrationReport()
        Refusal.expect(.migrationFailed) { try run(set, &report) }
        #expect(report.outcome == .restored)
        #expect(try scratch.content() == before)
        #expect(try scratch.backups == [backup.lastComponent?.string])
        let journal = try #require(try SafeJournal.read(of: scratch.path))
        #expect(journal == SafeJournal(phase: .migrating, backup: backup))
    }

    // MARK: Verifying

    @Test("Killed during verification, the next run verifies")
    func verifying() throws {
        try leave(.verifying, DeploymentScratch.good(), at: 3)
        var report = SafeMigrationReport()
        try run(DeploymentScratch.good(), &report)
        #expect(report.outcome == .migrated && report.recovery == .continued)
        #expect(report.migration.steps.isEmpty && report.verification?.isClean == true)
        #expect(!hasJournal())
        #expect(try scratch.backups.count == 1)
    }

    @Test("If that verification fails, the database is restored, unless others have written since")
    func verifyingFails() throws {
        let before = try scratch.content()
        try leave(.verifying, DeploymentScratch.driftingAtThird(), at: 3)
        var report = SafeMigrationReport()
        Refusal.expect(.verificationFailed) {
            try run(DeploymentScratch.driftingAtThird(), &report)
        }
        #expect(report.outcome == .restored)
        #expect(try scratch.content() == before)
        #expect(try scratch.names == ["data.db"])
    }

    @Test(
        "Otherwise nothing is restored, and the journal stays until it verifies",
        arguments: [true, false])
    func verifyingFailsOthersWrote(isMarked: Bool) throws {
        try leave(.verifying, DeploymentScratch.driftingAtThird(), at: 3, isMarked: isMarked)
        if isMarked { try scratch.add(1, to: scratch.database.open()) }
        let before = try scratch.content()
        for _ in 0..<2 {
            try expectNotRestored(
                DeploymentScratch.driftingAtThird(), "others might have written")
            #expect(try scratch.content() == before)
            #expect(hasJournal())
            #expect(FileAccess.exists(backup))
        }
    }

    // MARK: Restoring

    @Test("Killed before the restore, the next run finishes it, and continues")
    func restoring() throws {
        let before = try scratch.content()
        try leave(.restoring, DeploymentScratch.driftingAtThird(), at: 3)
        var report = SafeMigrationReport()
        Refusal.expect(.verificationFailed) {
            try run(DeploymentScratch.driftingAtThird(), &report)
        }
        #expect(report.recovery == .restored && report.outcome == .restored)
        #expect(try scratch.content() == before)
        #expect(try scratch.names == ["data.db"])
    }

    @Test("With nothing to do, the restore is finished all the same")
    func restoringWithoutWork() throws {
        let before = try scratch.content()
        try leave(.restoring, DeploymentScratch.driftingAtThird(), at: 3)
        var report = SafeMigrationReport()
        try run(Scratch.set(DeploymentScratch.first), &report)
        #expect(report.recovery == .restored && report.outcome == .nothingToDo)
        #expect(try scratch.content() == before)
        #expect(try scratch.names == ["data.db"])
    }

    @Test(
        "Killed after it, the next run finds the database restored, including later writes by others"
    )
    func restored() throws {
        try leave(.restoring, DeploymentScratch.driftingAtThird(), at: 3)
        do {
            let connection = try scratch.database.open()
            let source = try Connection.open(backup, key: scratch.database.key())
            #expect(
                try connection.replaceContent(with: source, timeout: .zero, ifStill: { _ in true })
            )
            try scratch.add(1, to: connection)
        }
        var report = SafeMigrationReport()
        try run(DeploymentScratch.good(), &report)
        #expect(report.recovery == .restored && report.outcome == .migrated)
        #expect(try Scratch.int(scratch.database.open(), "SELECT count(*) FROM item") == 51)
        #expect(!hasJournal())
        try scratch.expectSound(DeploymentScratch.good())
    }

    @Test(
        "If others have written since, that is reported once, nothing is lost, and the backup stays"
    )
    func restoringOthersWrote() throws {
        try leave(.restoring, DeploymentScratch.failingAtThird(), at: 2)
        try scratch.add(1, to: scratch.database.open())
        let before = try scratch.content()
        try expectNotRestored(DeploymentScratch.good(), "others have written")
        #expect(try scratch.content() == before)
        #expect(FileAccess.exists(backup) && !hasJournal())
        var report = SafeMigrationReport()
        try run(DeploymentScratch.good(), &report)
        #expect(report.outcome == .migrated && report.recovery == nil)
    }

    @Test("A damaged backup is not restored, and the run can be repeated")
    func restoringDamaged() throws {
        let before = try scratch.content()
        try leave(.restoring, DeploymentScratch.failingAtThird(), at: 2)
        let whole = try Bytes.read(backup)
        var bytes = whole
        bytes[4096 + 77] ^= 1
        try Bytes.write(bytes, to: backup)
        let now = try scratch.content()
        try expectNotRestored(DeploymentScratch.good(), "damaged")
        #expect(try scratch.content() == now)
        #expect(hasJournal())
        try Bytes.write(whole, to: backup)
        var report = SafeMigrationReport()
        Refusal.expect(.migrationFailed) { try run(DeploymentScratch.failingAtThird(), &report) }
        #expect(report.recovery == .restored)
        #expect(try scratch.content() == before)
    }

    @Test("A missing backup is reported once")
    func restoringGone() throws {
        try leave(.restoring, DeploymentScratch.failingAtThird(), at: 2)
        try FileManager.default.removeItem(atPath: backup.string)
        try expectNotRestored(DeploymentScratch.good(), "is gone")
        var report = SafeMigrationReport()
        try run(DeploymentScratch.good(), &report)
        #expect(report.outcome == .migrated)
        try scratch.expectSound(DeploymentScratch.good())
    }

    @Test(
        "A forged journal restores and removes nothing but our backups"
    )
    func madeUp() throws {
        let before = try scratch.content()
        let other = try DatabaseScratch("other.db")
        try other.fill(rows: 5)
        let victim = try scratch.folder.write("precious.txt", "somebody's")
        // With the name of a backup, and another key.
        let foreign = scratch.folder.file("data.db.20200101T000000Z-1.before-migration")
        do { _ = try Connection.create(foreign, key: scratch.database.key(2)).path }
        for path in [victim, other.path, foreign] {
            try SafeJournal(phase: .restoring, backup: path, content: scratch.database.open().contentDigest()).write(
                of: scratch.path)
            var report = SafeMigrationReport()
            #expect(throws: LockstepError.self) { try run(DeploymentScratch.good(), &report) }
            #expect(try scratch.content() == before)
            #expect(FileAccess.exists(path))
        }
        try Bytes.write(Array("no journal".utf8), to: SafeJournal.path(of: scratch.path))
        var report = SafeMigrationReport()
        Refusal.expect(.malformedInput) { try run(DeploymentScratch.good(), &report) }
        #expect(try scratch.content() == before)
    }
}
