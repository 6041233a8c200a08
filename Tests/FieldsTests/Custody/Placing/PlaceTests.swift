import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A path belongs to the database that was last seen there, whatever is put there, and a database that did not move is
/// not refused for what another file says.
@Suite("A database's place is its own")
struct PlaceTests {
    private let bound: BoundScratch
    private var scratch: RotationScratch { bound.scratch }
    private var path: FilePath { scratch.path }
    private var staging: FilePath { scratch.folder.file("staging.db") }
    private var backup: FilePath { scratch.folder.file("backup.db") }

    init() throws {
        bound = try BoundScratch()
        try backUp()
    }

    private func backUp() throws {
        DatabaseScratch.remove(backup)
        let store = try Store.open(path, rawKey: scratch.keyring().databaseKey(for: path))
        try store.blocking.backup(to: backup)
        try store.blocking.close()
    }

    @discardableResult
    private func restore(_ backup: FilePath? = nil, to target: FilePath? = nil) throws -> [UInt8]? {
        var keyring = try scratch.keyring()
        let target = target ?? staging
        try Restore(target, from: backup ?? self.backup).run(&keyring, in: scratch.file)
        return try bound.open(target).databaseID()
    }

    private func fork(_ path: FilePath) throws -> Fork.Report {
        var keyring = try scratch.keyring()
        return try Fork(of: path, keyring: scratch.file).run(&keyring)
    }

    private func copy(_ source: FilePath, _ target: FilePath) throws {
        DatabaseScratch.remove(target)
        try FileManager.default.copyItem(atPath: source.string, toPath: target.string)
    }

    private func records() throws -> [DatabaseRecord] { try scratch.keyring().document.files }

    private func place(of identity: [UInt8]?) throws -> FilePath? {
        let record = try #require(records().first { $0.database == identity })
        return try scratch.file.place(of: record)
    }

    /// Both open and verify, and the database is where it was.
    private func expectBoth(_ first: [UInt8]?, _ second: [UInt8]?) throws {
        for (path, id) in [(path, first), (staging, second)] {
            #expect(try bound.open(path).databaseID() == id)
            #expect(try bound.age(path).findings.filter(\.isFailure) == [])
            #expect(try place(of: id) == RealPath.of(path))
        }
        #expect(first != second)
    }

    // MARK: Refreshed copies

    @Test("A copy that is refreshed from its database's backups is one database from the first time on")
    func refreshed() throws {
        let first = try bound.open().databaseID()
        let second = try restore()
        try expectBoth(first, second)
        for _ in 1...3 {
            try bound.save()
            try bound.bind()
            try backUp()
            #expect(try restore() == second)
            try expectBoth(first, second)
        }
        #expect(try records().count == 2)
        DatabaseScratch.remove(staging)
        #expect(try restore() == second)
        try expectBoth(first, second)
    }

    @Test("The refresh is durable at once: the keyring and the file agree before anybody opens it") func atOnce() throws
    {
        let second = try restore()
        try bound.save()
        var keyring = try scratch.keyring()
        try keyring.settle(Connection.open(staging, key: keyring.databaseKey(for: staging)), in: scratch.file)
        // Its backup has recorded less of the keyring than the copy had.
        #expect(try restore() == second)
    }

    @Test("The same with cp and a fork, which the refusal names", arguments: [true, false])
    func copied(isBackup: Bool) throws {
        let source = isBackup ? backup : path
        let first = try bound.open().databaseID()
        try copy(source, staging)
        let second = try fork(staging).database
        try expectBoth(first, second)
        for _ in 1...2 {
            try copy(source, staging)
            let error = try #require(throws: LockstepError.self) { try bound.open(staging) }
            #expect(error.code == .exchanged && error.hint?.contains("Fork(of: \"\(staging)\")") == true)
            try bound.open()
            let report = try fork(staging)
            #expect(report.database == second && report.isRenewed)
            try expectBoth(first, second)
        }
        #expect(try records().count == 2)
    }

    @Test("Whatever is done to the copy then, its database stays under its key and where it was") func rotated() throws
    {
        try restore()
        let second = try restore()
        var keyring = try scratch.keyring()
        try DatabaseKeyRotation(of: staging, keyring: scratch.file).run(&keyring)
        try bound.open()
        #expect(try bound.open(staging).databaseID() == second)
        let destruction = KeyDestruction(of: .database, version: 1, keyring: scratch.file)
        let error = try #require(throws: LockstepError.self) {
            try destruction.run(&keyring, databaseKey: { _ in throw Stop() })
        }
        #expect(error.code == .keyInUse && error.message.contains("data.db"))
        #expect(try restore() == second)
        try bound.open()
    }

    @Test("A backup of another database becomes the one in whose place it is put") func another() throws {
        let first = try bound.open().databaseID()
        let second = try restore()
        let store = try Store.open(staging, rawKey: scratch.keyring().databaseKey(for: staging))
        let other = scratch.folder.file("other.db")
        try store.blocking.backup(to: other)
        try store.blocking.close()
        #expect(try restore(other, to: path) == first)
        try expectBoth(first, second)
    }

    // MARK: Drills

    /// A second database, which stays under the first key, and a backup of it.
    private func secondUnderOldKey() throws -> (path: FilePath, backup: FilePath) {
        let (second, backup) = (scratch.folder.file("second.db"), scratch.folder.file("second.bak"))
        var keyring = try scratch.keyring()
        do {
            let connection = try Connection.create(second, key: keyring.activeDatabaseKey())
            try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
            try keyring.bind(connection, in: scratch.file)
        }
        let store = try Store.open(second, rawKey: scratch.keyring().databaseKey(for: second))
        try store.blocking.backup(to: backup)
        try store.blocking.close()
        try scratch.rotate()
        return (second, backup)
    }

    @Test("A drill beside a database under an older key makes another database") func drill() throws {
        let (second, backup) = try secondUnderOldKey()
        let id = try bound.open(second).databaseID()
        #expect(try restore(backup) != id)
        #expect(try bound.open(second).databaseID() == id)
        #expect(try place(of: id) == RealPath.of(second))
        var keyring = try scratch.keyring()
        var destruction = KeyDestruction(of: .database, version: 1, keyring: scratch.file)
        destruction.databases = [path, staging]
        let error = try #require(throws: LockstepError.self) {
            try destruction.run(&keyring, databaseKey: { _ in throw Stop() })
        }
        #expect(error.code == .keyInUse && error.message.contains("second.db"))
    }

    @Test("Where the database is gone, a restore to another path is the database") func lost() throws {
        let id = try bound.open().databaseID()
        DatabaseScratch.remove(path)
        #expect(try restore() == id)
        #expect(try place(of: id) == RealPath.of(staging))
        #expect(try records().count == 1)
    }

    // MARK: Who moved

    @Test("Of a database that lies in its place, no copy is recorded, under whichever key it is", arguments: [1, 2])
    func recorded(version: Int) throws {
        let (second, _) = try secondUnderOldKey()
        let source = version == 1 ? second : path
        try copy(source, staging)
        let before = try Bytes.read(scratch.file.path)
        var keyring = try scratch.keyring()
        let error = try #require(throws: LockstepError.self) {
            try keyring.bind(Connection.open(staging, key: keyring.keyOfNew(staging)), in: scratch.file)
        }
        #expect(error.code == .twoFiles && error.message.contains("\(staging)"))
        #expect(error.message.contains("still lies at") && error.message.contains("last changed on"))
        #expect(try Bytes.read(scratch.file.path) == before)
        Refusal.expect(.twoFiles) { try bound.open(staging) }
        try bound.open(source)
        // The hint ends it.
        #expect(try !fork(staging).isRenewed)
        for path in [source, staging] { try bound.open(path) }
    }

    @Test("A backup that lies in the place of its database by hand keeps the place from another file")
    func byHand() throws {
        let moved = scratch.folder.file("moved.db")
        try FileManager.default.moveItem(atPath: path.string, toPath: moved.string)
        try FileManager.default.moveItem(atPath: backup.string, toPath: path.string)
        Refusal.expect(.twoFiles) { try bound.open(moved) }
        try bound.open()
        _ = try fork(moved)
        for path in [path, moved] { try bound.open(path) }
    }

    @Test("A path that is used again is no matter: neither for a new database, nor for a copy or a salvage")
    func reused() throws {
        let second = try restore()
        DatabaseScratch.remove(staging)
        var keyring = try scratch.keyring()
        _ = try Salvage(path, into: staging).run(&keyring, in: scratch.file)
        #expect(try bound.open(staging).fileRole() == .copy)
        #expect(try place(of: second) == nil)
        DatabaseScratch.remove(staging)
        let store = try Store.create(staging, keyring: &keyring, in: scratch.file)
        try store.blocking.close()
        _ = try Store.open(staging, rawKey: scratch.keyring().databaseKey(for: staging))
        #expect(try records().count == 3)
    }

    @Test("A restored database is as new as the keyring before anybody opens it") func kill() throws {
        try bound.save()
        try bound.bind()
        #expect(try restore(to: path) != nil)
        #expect(try bound.age().findings.filter(\.isFailure) == [])
    }

    @Test("A keyring stays beside the database that lies where it was seen") func movable() throws {
        let keyring = try scratch.keyring()
        #expect(try keyring.otherDatabase(than: backup, scratch.file) == RealPath.of(path))
        #expect(try keyring.otherDatabase(than: path, scratch.file) == nil)
        let moved = scratch.folder.file("moved.db")
        try FileManager.default.moveItem(atPath: path.string, toPath: moved.string)
        #expect(try keyring.otherDatabase(than: moved, scratch.file) == nil)
    }
}
