import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Backups made before migrations")
struct MigrationBackupsTests {
    private let scratch: DatabaseScratch
    private let files = FileManager.default

    init() throws {
        scratch = try DatabaseScratch()
        try scratch.fill(rows: 5)
    }

    private func backups(in folder: FilePath? = nil) throws -> MigrationBackups {
        try MigrationBackups(of: scratch.path, in: folder, keys: [SharedSecret(scratch.key())])
    }

    private func make(in folder: FilePath? = nil) throws -> FilePath {
        try backups(in: folder).make(
            scratch.open(), scratch.key(), schema: ConnectionOptions()
        ) { _ in }
    }

    /// A file with a page under the database's key, or under that of another.
    @discardableResult
    private func put(_ stamp: String, of other: DatabaseScratch? = nil) throws -> FilePath {
        let page = try Bytes.read((other ?? scratch).path).prefix(4096)
        return try scratch.folder.write("data.db.\(stamp).before-migration", Array(page) + [1, 2, 3])
    }

    @Test("Names contain the database, the time in UTC and a number")
    func names() throws {
        let first = try make()
        let name = try #require(first.lastComponent?.string)
        let parsed = try #require(try backups().parse(name))
        #expect(parsed.number == 1 && Timestamp.isFileName(parsed.stamp))
        #expect(name == "data.db.\(parsed.stamp)-1.before-migration")
    }

    @Test(
        "Other names are not backups",
        arguments: [
            "data.db", "data.db.before-migration", "data.db.20260131T120000Z.before-migration",
            "data.db.20260131T120000Z-0.before-migration", "data.db.20260131T120000Z-01.before-migration",
            "data.db.20260131T120000Z-1-1.before-migration", "data.db.20260131T120000Z--1.before-migration",
            "data.db.2026013XT120000Z-1.before-migration", "data.db.20260131T120000Z-1.before-migration.bak",
            "other.db.20260131T120000Z-1.before-migration", "xdata.db.20260131T120000Z-1.before-migration",
        ])
    func otherNames(name: String) throws { #expect(try backups().parse(name) == nil) }

    @Test("A name that is already taken is skipped")
    func taken() throws {
        // All the names of this second and the following ones, in case the clock advances.
        let seconds = Clock.microsecondsSinceEpoch / 1_000_000
        for second in seconds..<(seconds + 60) {
            let stamp = Timestamp(secondsSinceEpoch: second).fileName
            try scratch.folder.write("data.db.\(stamp)-1.before-migration", "somebody's")
            try files.createSymbolicLink(
                atPath: scratch.folder.file("data.db.\(stamp)-2.before-migration").string,
                withDestinationPath: "nowhere")
            try files.createDirectory(
                atPath: scratch.folder.file("data.db.\(stamp)-3.before-migration").string,
                withIntermediateDirectories: false)
            try scratch.folder.write("data.db.\(stamp)-4.before-migration-wal", "somebody's")
        }
        let count = try scratch.names.count
        let backup = try make()
        #expect(backup.string.hasSuffix("-5.before-migration"))
        #expect(try scratch.names.count == count + 1)
        try backups().sweep(keeping: 0)
        #expect(try scratch.names.count == count)
    }

    @Test("The oldest go, by time and by number; pinned backups stay in addition")
    func sweeping() throws {
        for stamp in [
            "20251231T235959Z-1", "20260131T120000Z-2", "20260131T120000Z-10",
            "20260131T120001Z-1",
        ] { try put(stamp) }
        try backups().sweep(keeping: 4)
        #expect(try scratch.names.count == 5)
        try backups().sweep(
            keeping: 2,
            pinned: [scratch.folder.file("data.db.20251231T235959Z-1.before-migration")])
        #expect(
            try scratch.names == [
                "data.db", "data.db.20251231T235959Z-1.before-migration",
                "data.db.20260131T120000Z-10.before-migration", "data.db.20260131T120001Z-1.before-migration",
            ])
        try backups().sweep(keeping: 0)
        #expect(try scratch.names == ["data.db"])
    }

    @Test("A backup that is made after a clock was ahead is the newest all the same") func clock() throws {
        for number in 1...3 { try put("20991231T12000\(number)Z-1") }
        let backup = try make()
        #expect(backup.string.hasSuffix("data.db.20991231T120003Z-2.before-migration"))
        try backups().sweep(keeping: 2)
        #expect(
            try scratch.names.filter { $0.hasPrefix("data.db.2") } == [
                "data.db.20991231T120003Z-1.before-migration", "data.db.20991231T120003Z-2.before-migration",
            ])
    }

    @Test("A file that only has such a name is neither counted nor removed")
    func foreign() throws {
        let other = try DatabaseScratch()
        do { _ = try Connection.create(other.path, key: other.key(9)) }
        try put("20260131T120000Z-1", of: other)
        try scratch.folder.write("data.db.20260131T120000Z-2.before-migration", "")
        try files.createSymbolicLink(
            atPath: scratch.folder.file("data.db.20260131T120000Z-3.before-migration").string,
            withDestinationPath: "data.db")
        try put("20260131T120000Z-4")
        let count = try scratch.names.count
        try backups().sweep(keeping: 1)
        #expect(try scratch.names.count == count)
        try backups().sweep(keeping: 0)
        #expect(try scratch.names.count == count - 1)
        try backups().remove(scratch.path)
        #expect(try scratch.names.contains("data.db"))
    }

    @Test("Databases with the same name have separate backups in one folder")
    func sharedFolder() throws {
        let other = try DatabaseScratch()
        try other.fill(rows: 5)
        let folder = try TemporaryFolder()
        let mine = try make(in: folder.path)
        let theirs = try MigrationBackups(
            of: other.path, in: folder.path, keys: [SharedSecret(other.key())]
        ).make(other.open(), other.key(), schema: ConnectionOptions()) { _ in }
        #expect(mine != theirs)
        try backups(in: folder.path).sweep(keeping: 0)
        #expect(try files.contentsOfDirectory(atPath: folder.path.string).count == 1)
        #expect(FileAccess.exists(theirs))
    }

    @Test("Unfinished backups of killed runs are removed, and nothing else")
    func unfinished() throws {
        let base = ".data.db.20260131T120000Z-1.before-migration"
        for name in ["\(base).1y2p0ij32e8e7.new", "\(base).1y2p0ij32e8e7.new-journal"] {
            try scratch.folder.write(name, "half")
        }
        let others = [
            "\(base).new", "\(base).!.new", "\(base).abc.old", ".other\(base).abc.new",
            ".data.db.abc.new", "x\(base).abc.new",
        ]
        for name in others { try scratch.folder.write(name, "somebody's") }
        try backups().sweepUnfinished()
        #expect(try scratch.names == (others + ["data.db"]).sorted())
    }
}
