import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("What safe migrations keep, need and refuse")
struct SafeRetentionTests {
    private let scratch: DeploymentScratch
    private let files = FileManager.default

    init() throws { scratch = try DeploymentScratch() }

    private func migration() throws -> SafeMigration {
        SafeMigration(of: scratch.path, sets: [try DeploymentScratch.good()])
    }

    /// Migrates up and down so many times; each run makes a backup.
    private func run(_ times: Int, keep: Int) throws {
        for time in 0..<times {
            var migration = try migration()
            migration.keep = keep
            migration.target = time.isMultiple(of: 2) ? .latest : .back(2)
            try migration.run(scratch.access())
        }
    }

    @Test("The requested number of backups stays", arguments: [0, 1, 2, 3])
    func keeping(keep: Int) throws {
        try run(5, keep: keep)
        #expect(try scratch.backups.count == keep)
        #expect(try scratch.names.count == keep + 1)
        Refusal.expect(.misuse) { try run(1, keep: -1) }
    }

    @Test("During a run its backup exists, whatever the retention")
    func atLeastOne() throws {
        let scratch = scratch
        var migration = try migration()
        migration.keep = 0
        migration.check = { _ in
            let count = try scratch.backups.count
            #expect(count == 1)
        }
        #expect(try migration.run(scratch.access()).backup == nil)
        #expect(try scratch.backups.isEmpty)
    }

    @Test("Failures leave older backups alone, however many fail")
    func failures() throws {
        try run(2, keep: 3)
        let before = try scratch.names
        for _ in 0..<5 {
            Refusal.expect(.migrationFailed) {
                try SafeMigration(
                    of: scratch.path, sets: [DeploymentScratch.failingAtThird()]
                ).run(scratch.access())
            }
        }
        #expect(try scratch.names == before)
    }

    @Test("Backups can lie elsewhere")
    func folder() throws {
        let folder = try TemporaryFolder()
        var migration = try migration()
        migration.backupFolder = folder.path
        let backup = try #require(try migration.run(scratch.access()).backup)
        #expect(backup.removingLastComponent() == folder.path)
        #expect(try scratch.names == ["data.db"])
        migration.backupFolder = folder.file("none")
        migration.target = .back(1)
        Refusal.expect(.notFound) { try migration.run(scratch.access()) }
    }

    // MARK: Space

    @Test(
        "Without space for the backup and the restore it is refused, and nothing changes")
    func space() throws {
        let before = try scratch.content()
        let size = try scratch.database.bytes.count
        let elsewhere = try TemporaryFolder()
        var migration = try migration()
        migration.freeSpace = { _ in DiskSpace.needed(forCopyOf: size) + size - 1 }
        Refusal.expect(.full) { try migration.run(scratch.access()) }
        #expect(try scratch.names == ["data.db"])
        #expect(try scratch.content() == before)
        migration.freeSpace = { _ in DiskSpace.needed(forCopyOf: size) + size }
        try migration.run(scratch.access())
        migration.freeSpace = { _ in nil }
        migration.target = .back(1)
        migration.backupFolder = elsewhere.path
        try migration.run(scratch.access())
    }

    @Test(
        "If the disk fills up in the middle of a version, the database is restored on that very disk",
        .enabled(if: SmallDisk.isPossible, SmallDisk.missing))
    func smallDisk() throws {
        let disk = try SmallDisk(megabytes: 4)
        defer { disk.unmount() }
        let path = disk.path.appending("data.db")
        try Bytes.write(scratch.database.bytes, to: path)
        let before = try scratch.content()
        let set = try Scratch.set(
            DeploymentScratch.first, DeploymentScratch.second,
            Scratch.up(
                """
                CREATE TABLE big (x);
                WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 5000)
                INSERT INTO big SELECT randomblob(3000) FROM c;
                """))
        var report = SafeMigrationReport()
        Refusal.expect(.full) {
            try SafeMigration(of: path, sets: [set]).run(scratch.access(), into: &report)
        }
        #expect(report.outcome == .restored)
        #expect(try DeploymentScratch.content(Connection.open(path, key: scratch.database.key())) == before)
        let names = try files.contentsOfDirectory(atPath: disk.path.string).sorted()
        #expect(names == [".data.db.custody", ".data.db.safe-migration-lock", "data.db"])
    }

    @Test(
        "An unwritable disk, the database's or the backups', is reported, and nothing changes",
        .enabled(if: SmallDisk.isPossible, SmallDisk.missing))
    func readOnly() throws {
        let disk = try SmallDisk(megabytes: 2)
        defer { disk.unmount() }
        let path = disk.path.appending("data.db")
        try Bytes.write(scratch.database.bytes, to: path)
        try disk.makeReadOnly()
        let set = try DeploymentScratch.good()
        Refusal.expect(.accessDenied) {
            try SafeMigration(of: path, sets: [set]).run(scratch.access())
        }
        Refusal.expect(.accessDenied) {
            _ = try Rehearsal(of: path, sets: [set]).run(scratch.access())
        }
        let before = try scratch.content()
        var migration = try migration()
        migration.backupFolder = disk.path
        Refusal.expect(.accessDenied) { try migration.run(scratch.access()) }
        var rehearsal = Rehearsal(of: scratch.path, sets: [set])
        rehearsal.folder = disk.path
        Refusal.expect(.accessDenied) { _ = try rehearsal.run(scratch.access()) }
        #expect(try scratch.content() == before)
        #expect(try scratch.names == ["data.db"])
    }

    // MARK: Refusals

    @Test("Two at once: the second waits, and gives up when its time is over")
    func twoAtOnce() throws {
        let scratch = scratch
        var outer = try migration()
        outer.check = { _ in
            var inner = try migration()
            inner.timeout = .zero
            Refusal.expect(.locked) { try inner.run(scratch.access()) }
            // Or when it is stopped.
            inner.timeout = .seconds(1_000_000)
            var waited = 0
            #expect(throws: CancellationError.self) {
                try inner.run(scratch.access()) { progress in
                    #expect(progress.phase == .waiting)
                    waited += 1
                    if waited == 3 { throw CancellationError() }
                }
            }
        }
        try outer.run(scratch.access())
    }

    @Test("Two at once: the second gets its turn, and has nothing left to do")
    func turns() async throws {
        let scratch = scratch
        let began = AsyncStream<Void>.makeStream()
        let set = try DeploymentScratch.good()
        let first = Task.detached {
            try await JobThread.run {
                try SafeMigration(of: scratch.path, sets: [set]).run(scratch.access()) { progress in
                    if progress.phase.name == "up" { began.continuation.yield() }
                }.outcome
            }
        }
        for await _ in began.stream { break }
        let second = Task.detached {
            try await JobThread.run {
                try SafeMigration(of: scratch.path, sets: [set]).run(scratch.access()).outcome
            }
        }
        #expect(try await first.value == .migrated)
        #expect(try await second.value == .nothingToDo)
    }

    @Test(
        "A link to a database, a folder, nothing and another key are refused, and nothing is created"
    )
    func places() throws {
        let link = scratch.folder.file("link.db")
        try files.createSymbolicLink(atPath: link.string, withDestinationPath: "data.db")
        let names = try scratch.database.names
        func run(_ path: FilePath, key: UInt8 = 1) throws {
            try SafeMigration(of: path, sets: [DeploymentScratch.good()]).run(
                DatabaseAccess(rawKey: scratch.database.key(key)))
        }
        Refusal.expect(.notAFile) { try run(link) }
        Refusal.expect(.notAFile) { try run(scratch.folder.path) }
        Refusal.expect(.notFound) { try run(scratch.folder.file("none.db")) }
        #expect(try scratch.database.names == names)
        Refusal.expect(.wrongKey) { try run(scratch.path, key: 2) }
        #expect(try scratch.names == names)
    }

    @Test("A damaged database is not migrated, and no backup of it is left")
    func damaged() throws {
        try scratch.database.damage { $0[4096 + 99] ^= 1 }
        let before = try scratch.database.bytes
        Refusal.expect(.damaged) { try migration().run(scratch.access()) }
        #expect(try scratch.database.bytes == before)
        #expect(try scratch.names == ["data.db"])
    }

    @Test("Unsound migration files are refused before anything is begun")
    func unsound() throws {
        let changed = try Scratch.set(
            DeploymentScratch.first.replacing("item", with: "thing"), DeploymentScratch.second)
        var report = SafeMigrationReport()
        Refusal.expect(.migrationChanged) {
            try SafeMigration(of: scratch.path, sets: [changed]).run(scratch.access(), into: &report)
        }
        #expect(report.outcome == nil)
        #expect(try scratch.names == ["data.db"])
    }
}
