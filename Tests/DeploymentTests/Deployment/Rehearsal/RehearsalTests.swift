import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Rehearsals")
struct RehearsalTests {
    private let scratch: DeploymentScratch

    init() throws { scratch = try DeploymentScratch() }

    private func rehearsal(_ set: MigrationSet) -> Rehearsal {
        Rehearsal(of: scratch.path, sets: [set])
    }

    /// Runs it, and expects that the folder and every byte in it are unchanged.
    private func run(
        _ rehearsal: Rehearsal, sourceLocation: SourceLocation = #_sourceLocation,
        progress: JobProgress.Handler = { _ in }
    ) throws -> RehearsalReport {
        let before = try CopyScratch.content(of: scratch.database)
        defer {
            let after = try? CopyScratch.content(of: scratch.database)
            #expect(after == before, sourceLocation: sourceLocation)
        }
        return try rehearsal.run(scratch.access(), progress: progress)
    }

    @Test("It reports each version's effect on the rows, and the database is unchanged") func success() throws {
        let report = try run(rehearsal(DeploymentScratch.good()))
        #expect(report.isClean && report.failure == nil && report.notices.isEmpty)
        #expect(report.steps.map(\.version.description) == ["2", "3"])
        #expect(report.steps.map(\.statements) == [2, 2])
        #expect(report.steps[0].rows.isEmpty)
        #expect(
            report.steps[1].rows == [
                RehearsalReport.RowChange(table: "tag", before: nil, after: 2)
            ])
        #expect(report.verification?.isClean == true)
        #expect(try report.bytesBefore == scratch.database.bytes.count)
        #expect(report.bytesAfter > report.bytesBefore && report.logBytes > 4096)
        #expect(report.longestLock <= report.totalLock)
        try run(rehearsal(DeploymentScratch.good())).steps.forEach { #expect($0.isUp) }
    }

    @Test("Lost rows, dropped tables, renamed tables")
    func rows() throws {
        let set = try Scratch.set(
            DeploymentScratch.first,
            Scratch.up(
                """
                -- lockstep: allow loss of table item
                DELETE FROM item WHERE id > 30;
                DROP TABLE note;
                CREATE TABLE other (x); INSERT INTO other VALUES (1);
                """), Scratch.up("ALTER TABLE other RENAME TO another;"))
        let report = try run(rehearsal(set))
        #expect(
            report.steps.map { $0.rows.map { "\($0.table) \($0.before ?? -1) \($0.after ?? -1)" } }
                == [
                    ["item 50 30", "note 0 -1", "other -1 1"], ["another -1 1", "other 1 -1"],
                ])
    }

    @Test("A failing version is reported with its place, and so are those before it")
    func failure() throws {
        let report = try run(rehearsal(DeploymentScratch.failingAtThird()))
        #expect(!report.isClean)
        #expect(report.steps.map(\.version.description) == ["2"])
        #expect(report.failure?.code == .migrationFailed)
        #expect(report.failure?.message.hasPrefix("test/0003_step.sql:3: ") == true)
        #expect(report.verification == nil)
    }

    @Test("A check that fails only after the migrations differs from one that failed before")
    func verification() throws {
        let drifting = try run(rehearsal(DeploymentScratch.driftingAtThird()))
        #expect(!drifting.isClean && drifting.newFailures == [.drift])
        do { try scratch.database.open().execute("CREATE TABLE stray (x)") }
        let known = try run(rehearsal(DeploymentScratch.good()))
        #expect(known.isClean && known.verification?.isClean == false)
        #expect(known.notices.map(\.code) == [.verificationFailed])
    }

    @Test("With nothing to do no copy is made")
    func nothing() throws {
        var rehearsal = try rehearsal(Scratch.set(DeploymentScratch.first))
        rehearsal.freeSpace = { _ in throw Stop() }
        let report = try run(rehearsal)
        #expect(report.isClean && report.steps.isEmpty && report.verification == nil)
    }

    @Test("Content that is only in the log is copied, and writers continue")
    func log() throws {
        let writer = try scratch.database.open()
        try scratch.add(5, to: writer)
        let set = try Scratch.set(
            DeploymentScratch.first,
            Scratch.up(
                "-- lockstep: allow loss of table item\nDELETE FROM item;"))
        var isWritten = false
        let report = try rehearsal(set).run(scratch.access()) { _ in
            guard !isWritten else { return }
            isWritten = true
            try scratch.add(1, to: writer)
        }
        #expect(isWritten)
        #expect(report.steps.first?.rows.first?.before == 55)
        #expect(try Scratch.int(writer, "SELECT count(*) FROM item") == 56)
    }

    @Test(
        "The copy is readable by its owner only, under a random key, and its text is nowhere in plaintext"
    )
    func secrecy() throws {
        let scratch = scratch
        let watch = PlaintextWatch(scratch.folder.path, DeploymentScratch.secret)
        var found = 0
        _ = try rehearsal(DeploymentScratch.good()).run(scratch.access()) { copied in
            guard copied.done == copied.total else { return }
            let copy = try #require(
                try scratch.database.names.first { $0.hasSuffix(".rehearsal") })
            let path = scratch.folder.file(copy)
            #expect(try DatabaseScratch.mode(of: path) == 0o600)
            #expect(copy.hasPrefix(".data.db."))
            let head = try Bytes.read(path).prefix(16)
            #expect(try Array(head) != scratch.database.key().salt)
            Refusal.expect(.wrongKey) { _ = try Connection.open(path, key: scratch.database.key()) }
            found += 1
        }
        #expect(found > 0)
        #expect(watch.stop().isEmpty)
    }

    // MARK: Stopping

    @Test("However it ends, nothing of it stays", arguments: 0..<3)
    func stopping(place: Int) throws {
        let endless = Scratch.up(
            "CREATE TABLE n (x);\nWITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
                + "INSERT INTO n SELECT x FROM c;")
        let rehearsal = try rehearsal(Scratch.set(DeploymentScratch.first, endless))
        // With the copy, when the version begins, and within its last statement, which reports nothing by itself.
        var last: JobProgress?
        #expect(throws: Stop.self) {
            _ = try run(rehearsal) { progress in
                defer { last = progress }
                let isWithin = progress == last && progress.step != nil
                if [true, progress.phase == .up.of("test 2"), isWithin][place] { throw Stop() }
            }
        }
        #expect(try scratch.database.names == ["data.db"])
    }

    // MARK: Refusals

    @Test("Too little space, another key, damage, links and unsound files are refused") func refusals() throws {
        var rehearsal = try rehearsal(DeploymentScratch.good())
        let size = try scratch.database.bytes.count
        rehearsal.freeSpace = { _ in DiskSpace.needed(forCopyOf: size) + size - 1 }
        Refusal.expect(.full) { _ = try run(rehearsal) }
        rehearsal.freeSpace = { _ in DiskSpace.needed(forCopyOf: size) + size }
        #expect(try run(rehearsal).isClean)
        Refusal.expect(.wrongKey) {
            _ = try rehearsal.run(DatabaseAccess(rawKey: scratch.database.key(2)))
        }
        rehearsal.folder = scratch.folder.file("none")
        Refusal.expect(.notFound) { _ = try run(rehearsal) }
        let link = scratch.folder.file("link.db")
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: "data.db")
        Refusal.expect(.notAFile) {
            _ = try Rehearsal(of: link, sets: [DeploymentScratch.good()]).run(scratch.access())
        }
        try scratch.database.damage { $0[4096 + 99] ^= 1 }
        Refusal.expect(.damaged) { _ = try run(self.rehearsal(DeploymentScratch.good())) }
    }

    @Test("A copy can be made elsewhere, and nothing of it stays there")
    func folder() throws {
        let folder = try TemporaryFolder()
        var rehearsal = try rehearsal(DeploymentScratch.good())
        rehearsal.folder = folder.path
        #expect(try run(rehearsal).isClean)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path.string).isEmpty)
    }

    @Test(
        "A full disk is a failure of the version, and nothing of it stays",
        .enabled(if: SmallDisk.isPossible, SmallDisk.missing))
    func smallDisk() throws {
        let disk = try SmallDisk(megabytes: 2)
        defer { disk.unmount() }
        let set = try Scratch.set(
            DeploymentScratch.first,
            Scratch.up(
                """
                CREATE TABLE big (x);
                WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 2000)
                INSERT INTO big SELECT randomblob(3000) FROM c;
                """))
        var rehearsal = rehearsal(set)
        rehearsal.folder = disk.path
        let report = try run(rehearsal)
        #expect(report.failure?.code == .full)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path.string).isEmpty)
    }
}
