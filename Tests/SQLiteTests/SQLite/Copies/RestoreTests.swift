import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Restore")
struct RestoreTests {
    private let scratch: DatabaseScratch
    private let backup: DatabaseScratch

    /// A backup with 7 entries under key 2, and a database that has grown to 12 under key 1.
    init() throws {
        scratch = try DatabaseScratch()
        backup = try DatabaseScratch("copy.db")
        let store = try Store.create(scratch.path, rawKey: scratch.key())
        try Account.create(store, rows: 7)
        try store.blocking.backup(to: backup.path, key: backup.key(2))
        try Account.add(5, to: store)
    }

    @discardableResult
    private func restore(
        backupKey: UInt8 = 2, progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        try Restore(scratch.path, from: backup.path).run(
            key: scratch.key(), backupKey: backup.key(backupKey), progress: progress)
    }

    private func total() throws -> Int { try Account.total(scratch.open()) }

    /// Expects a refusal that leaves the database unchanged, byte for byte.
    private func expectRefusal(
        _ code: LockstepError.Code, about context: LockstepError.Context? = nil,
        backupKey: UInt8 = 2, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try CopyScratch.content(of: scratch)
        Refusal.expect(code, about: context, sourceLocation: sourceLocation) {
            try restore(backupKey: backupKey)
        }
        #expect(try CopyScratch.content(of: scratch) == before, sourceLocation: sourceLocation)
    }

    @Test("Over an existing database, as one file, and the backup stays unchanged")
    func over() throws {
        let before = try CopyScratch.content(of: backup)
        #expect(try restore().rows == ["total": 1, "entry": 7])
        #expect(try scratch.names == ["data.db"])
        #expect(try DatabaseScratch.mode(of: scratch.path) == 0o600)
        #expect(try PageAudit(scratch.path).run(key: scratch.key()).isClean)
        #expect(try total() == 7)
        #expect(try CopyScratch.content(of: backup) == before)
    }

    #if os(Linux)
    @Test("A program that has the file open without a lock is in the way, and named")
    func openElsewhere() throws {
        try scratch.open().checkpoint(.truncate)
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/bin/sh")
        program.arguments = ["-c", "exec 3<\"$0\"; echo open; read end", scratch.path.string]
        let (input, output) = (Pipe(), Pipe())
        (program.standardInput, program.standardOutput) = (input, output)
        try program.run()
        #expect(try output.fileHandleForReading.read(upToCount: 4) == Data("open".utf8))
        let before = try CopyScratch.content(of: scratch)
        let error = try #require(throws: LockstepError.self) { try restore() }
        #expect(error.code == .busy && error.message.contains("process \(program.processIdentifier), sh"))
        #expect(try CopyScratch.content(of: scratch) == before)
        try input.fileHandleForWriting.close()
        program.waitUntilExit()
        try restore()
        #expect(try total() == 7)
    }
    #endif

    @Test("Where no database exists")
    func afresh() throws {
        try FileManager.default.removeItem(atPath: scratch.path.string)
        try restore()
        #expect(try scratch.names == ["data.db"])
        #expect(try total() == 7)
    }

    @Test("Over a database that is damaged, cut off or under another key")
    func overWreck() throws {
        let whole = try scratch.bytes
        let wrecks: [(inout [UInt8]) -> Void] = [
            { $0[5000] ^= 1 }, { $0[100] ^= 1 }, { $0.removeAll() }, { $0.removeLast(4000) },
            { $0.replaceSubrange(0..<16, with: [UInt8](repeating: 0, count: 16)) },
        ]
        for wreck in wrecks {
            try Bytes.write(whole, to: scratch.path)
            try scratch.damage("", wreck)
            try restore()
            #expect(try scratch.names == ["data.db"])
            #expect(try total() == 7)
        }
    }

    @Test("While the database is open anywhere, the restore is refused, and nothing changes") func busy() throws {
        let connection = try scratch.open()
        try expectRefusal(.busy)
        // It is also refused while the log has content that the file lacks: that stays.
        try connection.execute("UPDATE total SET n = n")
        Refusal.expect(.busy) { try restore() }
        #expect(try Account.total(connection) == 12)
        let store = try Store.open(scratch.path, rawKey: scratch.key())
        try store.blocking.read { connection in
            let total = try Account.total(connection)
            #expect(total == 12)
            Refusal.expect(.busy) { try restore() }
        }
        _ = consume connection
        Refusal.expect(.busy) { try restore() }
        try Account.add(1, to: store)
        try store.blocking.close()
        #expect(try scratch.names == ["data.db"])
        #expect(try total() == 13)
        try restore()
        #expect(try total() == 7)
    }

    @Test("The log of the old database is not replayed into the new one")
    func staleLog() throws {
        // The result of a crash: the last entries are only in the log.
        let living = try DatabaseScratch()
        try Bytes.write(scratch.bytes, to: living.path)
        let store = try Store.open(living.path, rawKey: living.key())
        try Account.add(100, to: store)
        try living.copy(to: scratch.path)
        try scratch.folder.write("data.db-journal", "what somebody left")
        try restore()
        #expect(try scratch.names == ["data.db"])
        #expect(try total() == 7)
    }

    @Test("The journal of an unreadable old database is not replayed into the new one") func hotJournal() throws {
        // The result of a kill during an update: a journal that SQLite rolls back.
        let living = try DatabaseScratch()
        let database = try RawDatabase(
            living.path, key: RawDatabase.keyspec, "journal_mode = DELETE",
            "cache_size = 5")
        try database.run(
            """
            CREATE TABLE t (x);
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200)
                INSERT INTO t SELECT randomblob(900) FROM n;
            BEGIN; UPDATE t SET x = randomblob(900);
            """)
        try living.copy(with: "-journal", to: scratch.path)
        let journal = try Bytes.read(scratch.side("-journal"))
        #expect(journal[8..<12] != [0, 0, 0, 0], "it holds no page that would be played back")
        try scratch.damage { $0[100] ^= 1 }
        try restore()
        #expect(try scratch.names == ["data.db"])
        #expect(try PageAudit(scratch.path).run(key: scratch.key()).isClean)
        #expect(try total() == 7)
    }

    @Test("Nothing is restored beside the log of a missing database")
    func orphanLog() throws {
        try FileManager.default.removeItem(atPath: scratch.path.string)
        try scratch.folder.write("data.db-wal", "what somebody left")
        try expectRefusal(.alreadyExists)
        #expect(try scratch.names == ["data.db-wal"])
    }

    @Test("The content of the backup's own log is restored")
    func backupWithLog() throws {
        let store = try Store.open(backup.path, rawKey: backup.key(2))
        try Account.add(3, to: store)
        try restore()
        #expect(try total() == 10)
    }

    @Test("A backup that is damaged, cut off, foreign, missing or under another key is refused")
    func unsoundBackup() throws {
        try expectRefusal(.wrongKey, backupKey: 3)
        let whole = try backup.bytes
        for page in [0, 1, whole.count / 4096 - 1] {
            try backup.damage { $0[page * 4096 + 700] ^= 1 }
            try expectRefusal(.damaged, about: .file(backup.path))
            try Bytes.write(whole, to: backup.path)
        }
        try backup.damage { $0.removeLast(100) }
        try expectRefusal(.damaged)
        try Bytes.write(Array(whole.dropLast(4096)), to: backup.path)
        try expectRefusal(.damaged)
        try Bytes.write([], to: backup.path)
        try expectRefusal(.emptyDatabase)
        try Bytes.write(PlaintextDatabase.bytes, to: backup.path)
        try expectRefusal(.plaintextDatabase)
        try FileManager.default.removeItem(atPath: backup.path.string)
        try expectRefusal(.notFound)
        #expect(try total() == 12)
    }

    @Test("A progress closure that throws leaves the old database")
    func progress() throws {
        let before = try CopyScratch.content(of: scratch)
        #expect(throws: Stop.self) { try restore { _ in throw Stop() } }
        #expect(try CopyScratch.content(of: scratch) == before)
        #expect(try total() == 12)
    }

    @Test("A folder or a link in the database's place stays")
    func notAFile() throws {
        try FileManager.default.removeItem(atPath: scratch.path.string)
        try FileManager.default.createSymbolicLink(atPath: scratch.path.string, withDestinationPath: "elsewhere.db")
        Refusal.expect(.notAFile) { try restore() }
        #expect(try scratch.names == ["data.db"])
        try FileManager.default.removeItem(atPath: scratch.path.string)
        try FileManager.default.createDirectory(atPath: scratch.path.string, withIntermediateDirectories: false)
        Refusal.expect(.notAFile) { try restore() }
        #expect(try scratch.names == ["data.db"])
    }
}
