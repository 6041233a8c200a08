import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Backup")
struct BackupTests {
    private let scratch: DatabaseScratch
    private let copy: DatabaseScratch

    init() throws {
        scratch = try DatabaseScratch()
        copy = try DatabaseScratch("copy.db")
    }

    private func makeStore(rows: Int = 0) throws -> Store {
        var options = StoreOptions()
        options.connection.synchronous = .normal
        let store = try Store.create(scratch.path, rawKey: scratch.key(), options: options)
        try Account.create(store, rows: rows)
        return store
    }

    /// The total in the copy, after verifying the copy.
    private func total(key: borrowing DatabaseKey) throws -> Int {
        #expect(try copy.names == ["copy.db"])
        #expect(try DatabaseScratch.mode(of: copy.path) == 0o600)
        #expect(try PageAudit(copy.path).run(key: key).isClean)
        let connection = try Connection.open(copy.path, key: key)
        try IntegrityPragma.require(connection)
        #expect(try connection.headerField("application_id") == Connection.applicationID)
        return try Account.total(connection)
    }

    @Test("A backup is complete, under the same key or another", arguments: [1, 2] as [UInt8])
    func keys(_ number: UInt8) throws {
        let store = try makeStore(rows: 300)
        let report = try store.blocking.backup(to: copy.path, key: copy.key(number))
        #expect(report.rows == ["total": 1, "entry": 300])
        #expect(try report.pages == copy.bytes.count / 4096)
        #expect(try total(key: copy.key(number)) == 300)
        Refusal.expect(.wrongKey) { _ = try Connection.open(copy.path, key: copy.key(3 - number)) }
    }

    @Test(
        "The copy opens with SQLCipher's own shell",
        .enabled(if: SQLCipherShell.isPresent, SQLCipherShell.missing))
    func shell() throws {
        try makeStore(rows: 7).blocking.backup(to: copy.path, key: copy.key(2))
        let rows = try SQLCipherShell.run(
            "SELECT count(*) FROM entry;", on: copy.path, key: [UInt8](repeating: 2, count: 32))
        #expect(rows == ["7"])
    }

    @Test("A concurrent transaction is in the backup completely or not at all")
    func whileWriting() throws {
        let store = try makeStore(rows: 30_000)
        var added = 0
        let report = try store.blocking.backup(to: copy.path, key: copy.key(2)) { progress in
            // Between two steps of the copy, whose snapshot is older than all of these.
            try Account.add(50, to: store)
            added += 50
        }
        #expect(added > 0 && report.rows["entry"] == 30_000)
        #expect(try total(key: copy.key(2)) == 30_000)
        #expect(try store.blocking.read { try Account.total($0) } == 30_000 + added)
    }

    @Test("Concurrent writers never produce a mixed copy")
    func besideTasks() async throws {
        let store = try makeStore(rows: 2000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask { for _ in 0..<20 { try Account.add(10, to: store, size: 3000) } }
            }
            for number in 0..<3 {
                let copy = try DatabaseScratch("copy-\(number).db")
                let report = try await store.backup(to: copy.path, key: copy.key(2))
                let connection = try Connection.open(copy.path, key: copy.key(2))
                let total = try Account.total(connection)
                #expect(report.rows["entry"] == total && total >= 2000)
            }
            try await group.waitForAll()
        }
        #expect(try await store.read { try Account.total($0) } == 2400)
    }

    @Test("Rowids, the user version and every object are kept")
    func identity() throws {
        let store = try makeStore()
        try store.blocking.write { connection in
            try connection.setHeaderField("user_version", 42)
            try connection.run(
                script: """
                    CREATE TABLE t (x); INSERT INTO t (rowid, x) VALUES (70, 'a'), (-5, 'b');
                    CREATE INDEX i ON t (x); CREATE VIEW v AS SELECT x FROM t;
                    CREATE VIRTUAL TABLE words USING fts5(text); INSERT INTO words VALUES ('one');
                    """)
        }
        try store.blocking.backup(to: copy.path, key: copy.key(2))
        let connection = try Connection.open(copy.path, key: copy.key(2))
        #expect(try connection.headerField("user_version") == 42)
        let rows = try connection.query("SELECT rowid, x FROM t ORDER BY 1", as: (Int, String).self)
        #expect(rows.map(\.0) == [-5, 70] && rows.map(\.1) == ["b", "a"])
        #expect(try connection.value("SELECT count(*) FROM words WHERE words MATCH 'one'") == 1)
        let schema = "SELECT group_concat(type || name || sql) FROM sqlite_schema"
        let old: String? = try store.blocking.read { try $0.value(SQL(verbatim: schema)) }
        #expect(try connection.value(SQL(verbatim: schema)) == old)
    }

    @Test("The backup of a database without tables has one page")
    func empty() throws {
        let report = try Store.create(scratch.path, rawKey: scratch.key())
            .blocking.backup(to: copy.path, key: copy.key(2))
        #expect(report.pages == 1 && report.rows.isEmpty)
        #expect(try copy.bytes.count == 4096)
        _ = try Connection.open(copy.path, key: copy.key(2))
    }

    @Test("Awaited, it has the same result, and cancelling its task ends it")
    func awaited() async throws {
        let store = try makeStore(rows: 300)
        let report = try await JobThread.run {
            try Backup(to: copy.path).run(on: store, key: copy.key())
        }
        #expect(report.rows["entry"] == 300 && report.time.duration > .zero)
        #expect(try total(key: copy.key()) == 300)
        let other = try DatabaseScratch()
        let task = Task {
            withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await JobThread.run { try Backup(to: other.path).run(on: store) }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try other.names == [])
    }

    @Test("Progress advances from a fraction to 1, for 20 MB in several steps")
    func progress() throws {
        let store = try makeStore()
        try Account.add(5000, to: store, size: 4000)
        var reported: [JobProgress] = []
        let report = try store.blocking.backup(to: copy.path, key: copy.key(2)) {
            reported.append($0)
        }
        #expect(reported.count >= 5 && reported.last?.done == report.pages)
        #expect(zip(reported, reported.dropFirst()).allSatisfy { $0.done < $1.done })
        #expect(reported.allSatisfy { $0.total == report.pages })
        #expect(try total(key: copy.key(2)) == 5000)
        for end in reported.indices {
            let other = try DatabaseScratch()
            var calls = 0
            #expect(throws: Stop.self) {
                try store.blocking.backup(to: other.path, key: other.key(2)) { _ in
                    if calls == end { throw Stop() }
                    calls += 1
                }
            }
            #expect(try other.names == [])
        }
        // The borrowed reader is free again, and so is the log.
        try store.blocking.withoutTransaction { connection in
            let checkpoint = try connection.checkpoint(.truncate)
            #expect(checkpoint.isComplete)
        }
    }

    @Test("A store in memory can be backed up too")
    func inMemory() throws {
        let store = try Store.inMemory()
        try Account.create(store, rows: 20)
        try store.blocking.backup(to: copy.path, key: copy.key(2))
        #expect(try Account.total(Connection.open(copy.path, key: copy.key(2))) == 20)
    }

    // MARK: Refusals

    @Test("A file at the target stays, and so does a log that the copy would use")
    func occupied() throws {
        let store = try makeStore(rows: 5)
        try copy.folder.write("copy.db-journal", "a journal of somebody's")
        Refusal.expect(.alreadyExists) {
            try store.blocking.backup(to: copy.path, key: copy.key(2))
        }
        try copy.folder.write("copy.db", "something of somebody's")
        Refusal.expect(.alreadyExists) {
            try store.blocking.backup(to: copy.path, key: copy.key(2))
        }
        Refusal.expect(.alreadyExists) {
            try store.blocking.backup(to: scratch.path, key: copy.key(2))
        }
        #expect(try copy.bytes == Array("something of somebody's".utf8))
        #expect(try copy.names == ["copy.db", "copy.db-journal"])
        #expect(try store.blocking.read { try Account.total($0) } == 5)
    }

    @Test("A missing folder or a closed store is an error that leaves no files")
    func nowhere() throws {
        let store = try makeStore(rows: 5)
        let nowhere = copy.folder.path.appending("no/where.db")
        Refusal.expect(.notFound) { try store.blocking.backup(to: nowhere, key: copy.key(2)) }
        try store.blocking.close()
        Refusal.expect(.closed) { try store.blocking.backup(to: copy.path, key: copy.key(2)) }
        Refusal.expect(.closed) { try store.blocking.backup(to: copy.path) }
        #expect(try copy.names == [])
    }

    @Test("A copy with more or fewer rows than the original is rejected")
    func otherRows() throws {
        try scratch.fill(rows: 200)
        for rows in [199, 200, 201] {
            let copy = try DatabaseScratch("copy.db")
            try copy.fill(rows: rows)
            let source = try scratch.open()
            let code = try Refusal.code {
                _ = try PageCopy.verify(copy.path, copy.key(), schema: .init(), against: source)
            }
            #expect(code == (rows == 200 ? nil : .damaged))
        }
    }

    @Test("A damaged original cannot be backed up")
    func damaged() throws {
        do { _ = try makeStore(rows: 2000) }
        try scratch.damage { $0[20 * 4096 + 99] ^= 1 }
        let store = try Store.open(scratch.path, rawKey: scratch.key())
        Refusal.expect(.damaged) { try store.blocking.backup(to: copy.path, key: copy.key(2)) }
        #expect(try copy.names == [])
    }

    @Test(
        "A full disk ends the backup, which frees its space",
        .enabled(if: SmallDisk.isPossible, SmallDisk.missing))
    func fullDisk() throws {
        let store = try makeStore(rows: 20_000)
        let disk = try SmallDisk(megabytes: 1)
        defer { disk.unmount() }
        Refusal.expect(.full) {
            try store.blocking.backup(to: disk.path.appending("copy.db"), key: copy.key(2))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path.string) == [])
    }
}
