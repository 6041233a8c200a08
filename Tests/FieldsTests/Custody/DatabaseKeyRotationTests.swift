import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Rotating a database key")
struct DatabaseKeyRotationTests {
    private let scratch: RotationScratch

    init() throws { scratch = try RotationScratch() }

    /// The folder's files by name, without the lock files and the readers' shared memory.
    private func files() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try scratch.names where !name.hasPrefix(".") && !name.hasSuffix("-shm") {
            files[name] = try Bytes.read(scratch.folder.file(name))
        }
        return files
    }

    @Test(
        "Everything is there under the new key, the log's content too, and the old key no longer opens it"
    )
    func success() throws {
        try scratch.fill(rows: 300)
        let old = try scratch.keyring().activeDatabaseKey()
        // Opened from a copy, so that the log stays for the rotation.
        let content = try RotationScratch(copying: scratch).content()
        let log = FilePath(scratch.path.string + "-wal")
        #expect(try Bytes.read(log).count > 4096)

        let report = try scratch.rotate()
        #expect(report.oldVersion == 1 && report.newVersion == 2)
        #expect(report.copy?.rows["item"] == 320)
        #expect(try report.copy?.pages == Bytes.read(scratch.path).count / 4096)
        #expect(try scratch.states == [.retired, .active])
        #expect(try scratch.databaseNames == ["data.db"])
        #expect(try scratch.content() == content)
        #expect(content.contains("9000000000c") && content.contains("user_version 77"))
        Refusal.expect(.wrongKey) { _ = try Connection.open(scratch.path, key: old) }
        #expect(try scratch.findFault(content) == nil)
        #expect(try DatabaseScratch.mode(of: scratch.path) == 0o600)
        try Store.open(scratch.path, rawKey: scratch.keyring().activeDatabaseKey()).blocking.write {
            connection in
            try connection.execute("DELETE FROM item")
        }
    }

    @Test("A database without tables, rotated again and again")
    func empty() throws {
        do { _ = try Connection.create(scratch.path, key: scratch.keyring().activeDatabaseKey()) }
        for version: UInt32 in 2...5 {
            let report = try scratch.rotate()
            #expect(report.newVersion == version && report.oldVersion == version - 1)
            #expect(report.copy?.rows == ["lockstep_keyring": 2])
            #expect(report.copy?.pages == 2)
        }
        #expect(try scratch.states == [.retired, .retired, .retired, .retired, .active])
        let connection = try Connection.open(scratch.path, key: scratch.keyring().activeDatabaseKey())
        #expect(try connection.headerField("application_id") == Connection.applicationID)
    }

    @Test("The file's permissions stay as they were")
    func permissions() throws {
        try scratch.fill(rows: 5)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: scratch.path.string)
        try scratch.rotate()
        #expect(try DatabaseScratch.mode(of: scratch.path) == 0o640)
    }

    @Test(
        "After a rotation for a compromise, the old key is marked so, and a pending one is not relied on"
    )
    func compromise() throws {
        try scratch.fill(rows: 50)
        let content = try RotationScratch(copying: scratch).content()
        #expect(throws: Stop.self) { try scratch.rotate { _ in throw Stop() } }
        #expect(try scratch.states == [.active, .pending])
        let report = try scratch.rotate(.compromise)
        #expect(report.oldVersion == 1 && report.newVersion == 3)
        #expect(try scratch.states == [.compromised, .destroyed, .active])
        #expect(try scratch.findFault(content) == nil)
        try scratch.rotate()
        #expect(try scratch.states == [.compromised, .destroyed, .retired, .active])
    }

    @Test("Collations and functions that the schema needs are available to it")
    func extensions() throws {
        var options = ConnectionOptions()
        options.collations = [Collation("backwards") { $0 == $1 ? 0 : $0 > $1 ? -1 : 1 }]
        do {
            let connection = try Connection.create(
                scratch.path, key: scratch.keyring().activeDatabaseKey(), options: options)
            try connection.run(
                script: """
                    CREATE TABLE item (name TEXT COLLATE backwards UNIQUE);
                    INSERT INTO item VALUES ('a'), ('b');
                    """)
        }
        var keyring = try scratch.keyring()
        var rotation = DatabaseKeyRotation(of: scratch.path, keyring: scratch.file)
        // Without them the copy is checked in the order of its own indexes.
        #expect(try rotation.run(&keyring).copy?.rows["item"] == 2)
        rotation.options = options
        let report = try rotation.run(&keyring)
        #expect(report.copy?.rows == ["item": 2, "lockstep_keyring": 2])
        let store = try Store.open(
            scratch.path, rawKey: keyring.activeDatabaseKey(), options: .init(connection: options))
        let backup = scratch.folder.file("backup.db")
        #expect(try store.blocking.backup(to: backup).rows == ["item": 2, "lockstep_keyring": 2])
    }

    // MARK: Progress

    @Test(
        "Progress is reported up to the end; an error that it throws ends the rotation, and the next one goes on"
    )
    func progress() throws {
        try scratch.fill(rows: 4000, size: 4000)
        let content = try RotationScratch(copying: scratch).content()
        let aborted = try RotationScratch(copying: scratch)
        #expect(throws: Stop.self) {
            try aborted.rotate { if $0.done > ($0.total ?? 0) / 2 { throw Stop() } }
        }
        #expect(try aborted.states == [.active, .pending])
        #expect(try aborted.databaseNames == ["data.db"])
        let findings = try KeyringCheck.run(aborted.keyring().summary).findings
        #expect(findings.contains { "\($0)".contains("database key 2 was not finished") })
        #expect(try aborted.findFault(content) == nil)
        #expect(try aborted.rotate().newVersion == 2)
        var reported: [JobProgress] = []
        let report = try scratch.rotate { reported.append($0) }
        #expect(reported.count > 2 && reported.last?.done == report.copy?.pages)
        #expect(zip(reported, reported.dropFirst()).allSatisfy { $0.done < $1.done })
    }

    @Test("Cancelling its task ends it")
    func cancelling() async throws {
        try scratch.fill(rows: 100)
        let scratch = scratch
        let task = Task {
            try scratch.rotate { _ in withUnsafeCurrentTask { unsafe $0?.cancel() } }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try scratch.states == [.active, .pending])
        #expect(try scratch.databaseNames == ["data.db"])
    }

    // MARK: Refusals

    @Test(
        "A keyring of another purpose, another file's and an old one are refused, and nothing changes"
    )
    func keyrings() throws {
        try scratch.fill(rows: 5)
        let before = try files()
        let rotation = DatabaseKeyRotation(of: scratch.path, keyring: scratch.file)
        Refusal.expect(.keyringMismatch) {
            var fields = try Rings.make(.fields)
            _ = try rotation.run(&fields)
        }
        Refusal.expect(.keyringChanged) {
            var other = try Rings.make()
            _ = try rotation.run(&other)
        }
        #expect(try files() == before)
        var stale = try scratch.keyring()
        try scratch.rotate()
        // Someone else was faster: the keyring is read again.
        #expect(try rotation.run(&stale).newVersion == 3)
    }

    @Test("A signed keyring is refused, and nothing changes")
    func signed() throws {
        try scratch.fill(rows: 5)
        let before = try files()
        let text = try Rings.make().encode(epoch: 1, signer: SigningKey(seed: SecretBytes(random: 32)))
        var signed = try Rings.open(text)
        Refusal.expect(.keyringConflict) {
            _ = try DatabaseKeyRotation(of: scratch.path, keyring: scratch.file).run(&signed)
        }
        #expect(try files() == before)
    }

    @Test("A keyring of another database is refused, and nothing is recorded in it") func otherDatabase() throws {
        let other = try RotationScratch()
        try other.fill(rows: 5)
        var keyring = try scratch.keyring()
        Refusal.expect(.wrongKey) {
            _ = try DatabaseKeyRotation(of: other.path, keyring: scratch.file).run(&keyring)
        }
        #expect(try scratch.states == [.active])
    }

    @Test(
        "While another connection has the database open it is busy, and nothing changes",
        arguments: [true, false])
    func busy(isWriting: Bool) throws {
        try scratch.fill(rows: 50)
        let connection = try Connection.open(scratch.path, key: scratch.keyring().activeDatabaseKey())
        try scratch.add(1, 10, to: connection)
        let before = try files()
        if isWriting {
            try connection.write { connection in
                try connection.execute("DELETE FROM item")
                Refusal.expect(.busy) { try scratch.rotate() }
                #expect(try files() == before)
            }
        } else {
            Refusal.expect(.busy) { try scratch.rotate() }
            #expect(try files() == before)
        }
        #expect(try scratch.states == [.active])
        try scratch.add(1, 10, to: connection)
    }

    @Test("While it runs nobody else can open the database, and no other rotation starts") func exclusive() throws {
        try scratch.fill(rows: 50)
        var options = ConnectionOptions()
        options.busyTimeout = .zero
        try scratch.rotate { _ in
            Refusal.expect(.busy) {
                _ = try Connection.open(scratch.path, key: scratch.keyring().activeDatabaseKey(), options: options)
            }
            Refusal.expect(.locked) { try scratch.rotate() }
        }
        #expect(try scratch.states == [.retired, .active])
    }

    @Test(
        "A connection that opened the old file and waited cannot write to it, nor leave a log for the new one"
    )
    func latecomer() throws {
        try scratch.fill(rows: 50)
        let key = try Secrets.bytes(of: scratch.keyring().activeDatabaseKey().secret)
        let late = try RawDatabase(scratch.path, key: "x'\(Hex.encode(key))'")
        try scratch.rotate { _ in
            // From here on, the file that it would open is the old one.
            #expect(throws: RawDatabase.Failure.self) { try late.run("SELECT * FROM item") }
        }
        let new = try Bytes.read(scratch.path)
        #expect(throws: RawDatabase.Failure.self) { try late.run("DELETE FROM item") }
        #expect((try? late.run("PRAGMA journal_mode = WAL")) != ["wal"])
        #expect(throws: RawDatabase.Failure.self) { try late.run("DELETE FROM item") }
        #expect(try Bytes.read(scratch.path) == new)
        #expect(try scratch.databaseNames == ["data.db"])
    }

    @Test("If the disk has too little space it is refused before anything changes")
    func space() throws {
        try scratch.fill(rows: 500)
        let content = try RotationScratch(copying: scratch).content()
        var keyring = try scratch.keyring()
        var rotation = DatabaseKeyRotation(of: scratch.path, keyring: scratch.file)
        rotation.freeSpace = { _ in 1024 * 1024 }
        Refusal.expect(.full) { _ = try rotation.run(&keyring) }
        #expect(try scratch.states == [.active])
        #expect(try scratch.databaseNames == ["data.db"])
        #expect(try scratch.findFault(content) == nil)
        rotation.freeSpace = { _ in nil }
        _ = try rotation.run(&keyring)
        #expect(try scratch.findFault(content) == nil)
        #expect(try FileAccess.freeSpace(in: scratch.folder.path) ?? 0 > 0)
    }

    @Test(
        "A disk that is too small is reported, before the rotation or during it, and the old file stays",
        .enabled(if: SmallDisk.isPossible, SmallDisk.missing))
    func smallDisk() throws {
        try scratch.fill(rows: 580, size: 3900)
        let content = try scratch.content()
        let disk = try SmallDisk(megabytes: 4)
        defer { disk.unmount() }
        let path = disk.path.appending("data.db")
        try Bytes.write(Bytes.read(scratch.path), to: path)
        var keyring = try scratch.keyring()
        var rotation = DatabaseKeyRotation(of: path, keyring: scratch.file)
        Refusal.expect(.full) { _ = try rotation.run(&keyring) }
        #expect(try scratch.states == [.active])
        rotation.freeSpace = { _ in nil }
        Refusal.expect(.full) { _ = try rotation.run(&keyring) }
        #expect(try scratch.states == [.active, .pending])
        let names = try FileManager.default.contentsOfDirectory(atPath: disk.path.string)
        #expect(names.sorted() == [".data.db.custody", ".data.db.rotation", "data.db"])
        let connection = try Connection.open(path, key: keyring.databaseKey(for: path))
        #expect(try RotationScratch.content(connection) == content)
    }

    @Test("Damaged content is not copied")
    func damaged() throws {
        try scratch.fill(rows: 500, logged: 1)
        let connection = try Connection.open(scratch.path, key: scratch.keyring().activeDatabaseKey())
        try connection.checkpoint(.truncate)
        _ = consume connection
        var bytes = try Bytes.read(scratch.path)
        bytes[9 * 4096 + 99] ^= 1
        try Bytes.write(bytes, to: scratch.path)
        Refusal.expect(.damaged) { try scratch.rotate() }
        #expect(try Bytes.read(scratch.path) == bytes)
        #expect(try scratch.databaseNames == ["data.db"])
        #expect(try scratch.states == [.active])
    }

    @Test("A damaged log is left as it is if commits after the damage would be lost") func damagedLog() throws {
        try scratch.fill(rows: 50)
        let log = FilePath(scratch.path.string + "-wal")
        var bytes = try Bytes.read(log)
        bytes[32 + 24 + 99] ^= 1
        try Bytes.write(bytes, to: log)
        Refusal.expect(.damaged) { try scratch.rotate() }
        #expect(try Bytes.read(log) == bytes)
        #expect(try scratch.states == [.active])
    }

    @Test("Another program's file where the copy would be made stays")
    func occupied() throws {
        try scratch.fill(rows: 5)
        try scratch.folder.write("data.db.rotating", "something of somebody's")
        Refusal.expect(.alreadyExists) { try scratch.rotate() }
        #expect(try Bytes.read(scratch.copyPath) == Array("something of somebody's".utf8))
        Refusal.expect(.notFound) {
            var keyring = try scratch.keyring()
            let nowhere = scratch.folder.file("nowhere.db")
            _ = try DatabaseKeyRotation(of: nowhere, keyring: scratch.file).run(&keyring)
        }
        #expect(try scratch.states == [.active])
    }

    // MARK: After an interruption

    @Test(
        "Interrupted after the exchange, the file opens under the pending key, and a rotation ends it"
    )
    func resume() throws {
        try scratch.fill(rows: 50)
        let content = try RotationScratch(copying: scratch).content()
        let before = try Bytes.read(scratch.file.path)
        #expect(throws: Stop.self) { try scratch.rotate { _ in throw Stop() } }
        var pending: [UInt8] = []
        try scratch.rotate { _ in pending = try Bytes.read(scratch.file.path) }
        // The file is replaced, and the keyring has not followed.
        try Bytes.write(pending, to: scratch.file.path)
        #expect(try scratch.states == [.active, .pending])
        #expect(try scratch.findFault(content) == nil)
        let file = try Bytes.read(scratch.path)
        let report = try scratch.rotate()
        #expect(report.oldVersion == 1 && report.newVersion == 2 && report.copy == nil)
        #expect(try scratch.states == [.retired, .active])
        #expect(try Bytes.read(scratch.path) == file)
        // A keyring from before the rotation knows no key for the file.
        try Bytes.write(before, to: scratch.file.path)
        Refusal.expect(.wrongKey) { try scratch.rotate() }
    }

    @Test(
        "An old copy in the database's place is not opened silently; restored, it is under the new key"
    )
    func oldCopies() throws {
        try scratch.fill(rows: 50)
        let content = try scratch.content()
        let old = try Bytes.read(scratch.path)
        try scratch.rotate()
        let backup = try scratch.folder.write("backup.db", old)
        try Bytes.write(old, to: scratch.path)
        Refusal.expect(.keyUnavailable) {
            _ = try scratch.keyring().databaseKey(for: scratch.path)
        }
        Refusal.expect(.keyUnavailable) { try scratch.rotate() }
        let keyring = try scratch.keyring()
        try Restore(scratch.path, from: backup).run(
            key: keyring.activeDatabaseKey(), backupKey: keyring.databaseKey(ofBackup: backup))
        // It came from before the rotation, and verification says so until it is made to remember.
        #expect(try scratch.findFault(content)?.contains("the file is older") == true)
        try keyring.remember(in: Connection.open(scratch.path, key: keyring.activeDatabaseKey()))
        #expect(try scratch.findFault(content) == nil)
    }

    @Test("A file with a salt that is not the keyring's, or with none at all, has the active key")
    func foreignSalt() throws {
        let keyring = try scratch.keyring()
        let active = try keyring.activeDatabaseKey().salt
        #expect(try keyring.databaseKey(for: scratch.path).salt == active)
        for bytes in [[], [1, 2, 3], [UInt8](repeating: 7, count: 4096)] {
            try Bytes.write(bytes, to: scratch.path)
            #expect(try keyring.databaseKey(for: scratch.path).salt == active)
        }
    }
}
