import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The effects of other users of a store's file.
@Suite("A store whose file is also used by others", .timeLimit(.minutes(20))) struct StoreBusyTests: NumberStore {
    let scratch: DatabaseScratch

    init() throws { scratch = try Self.makeScratch() }

    @Test("While another connection writes, a write is busy, for that call only")
    func busy() async throws {
        let store = try openStore { $0.connection.busyTimeout = .milliseconds(1) }
        let other = try open()
        try other.execute("BEGIN IMMEDIATE")
        try other.execute("INSERT INTO t VALUES (100)")
        Refusal.expect(.busy) { try store.blocking.write(insert(1)) }
        let results = try await store.writeTogether([insert(2), insert(3)])
        #expect(results.map { $0.code } == [.busy, .busy])
        #expect(try await store.read { try values($0) } == [])
        try other.execute("COMMIT")
        try store.writeHere(insert(4))
        try await store.write(insert(5))
        #expect(try committed() == [4, 5, 100])
    }

    @Test("A write that waits for another connection continues when that one has finished")
    func waiting() async throws {
        let store = try openStore()
        let other = try open()
        try other.execute("BEGIN IMMEDIATE")
        try other.execute("INSERT INTO t VALUES (100)")
        let task = Task { try await store.write(insert(1)) }
        try other.execute("COMMIT")
        try await task.value
        #expect(try committed() == [1, 100])
    }

    @Test("The busy timeout is preserved, whatever set it")
    func busyTimeout() async throws {
        let store = try openStore { $0.connection.busyTimeout = .milliseconds(4321) }
        let timeout: Part<Int?> = { try $0.value("PRAGMA busy_timeout") }
        #expect(try await store.write(timeout) == 4321)
        try store.aloneHere { try $0.execute("PRAGMA busy_timeout = 1234") }
        // What withoutTransaction sets ends with it.
        #expect(try await store.write(timeout) == 4321)
        #expect(try await store.write(timeout) == 4321)
    }

    @Test("Without waiting, another connection's lock is an error at once")
    func withoutWaiting() throws {
        let one = try open()
        let other = try open()
        one.setBusyTimeout(.max)
        try other.execute("BEGIN IMMEDIATE")
        Refusal.expect(.busy) {
            try one.waiting(atMost: .zero) { try $0.execute("BEGIN IMMEDIATE") }
        }
        #expect(try one.value("PRAGMA busy_timeout") == Int(Int32.max))
    }

    @Test("A write that finds no space fails, and no other write fails with it", arguments: 0..<3)
    func full(place: Int) async throws {
        try prepareTable("CREATE TABLE big (body BLOB)")
        let store = try openStore()
        try store.aloneHere { connection in
            let pages = try connection.value("PRAGMA page_count", as: Int.self) ?? 0
            try connection.with(rights: .engine) {
                try connection.execute("PRAGMA max_page_count = \(verbatim: "\(pages + 20)")")
            }
        }
        var parts = (0..<3).map(insert)
        parts[place] = { connection in
            try connection.execute("INSERT INTO t VALUES (100)")
            for _ in 0..<100 { try connection.execute("INSERT INTO big VALUES (zeroblob(8000))") }
        }
        let results = try await store.writeTogether(parts)
        #expect(results.map { $0.isSuccess } == (0..<3).map { $0 != place })
        #expect(results[place].code == .full)
        #expect(try committed() == (0..<3).filter { $0 != place })
        try store.writeHere(insert(50))
        try await store.close()
        #expect(try committed().contains(50))
        let audit = try await JobThread.run { try PageAudit(scratch.path).run(key: scratch.key()) }
        #expect(audit.isClean)
    }

    // MARK: The file disappears

    /// A copy of the current database, beside it.
    private func copy() throws -> FilePath {
        let copy = scratch.folder.file("copy.db")
        try FileManager.default.copyItem(atPath: scratch.path.string, toPath: copy.string)
        return copy
    }

    private func replace(with copy: FilePath) throws {
        try FileManager.default.removeItem(atPath: scratch.path.string)
        try FileManager.default.moveItem(atPath: copy.string, toPath: scratch.path.string)
    }

    @Test("A write after the file was removed is refused")
    func removed() throws {
        let store = try openStore()
        try store.writeHere(insert(1))
        try FileManager.default.removeItem(atPath: scratch.path.string)
        Refusal.expect(.replaced) { try store.blocking.write(insert(2)) }
    }

    @Test("A write outside a transaction to a removed file is refused too")
    func removedOutsideTransaction() async throws {
        let store = try openStore()
        try store.writeHere(insert(1))
        try FileManager.default.removeItem(atPath: scratch.path.string)
        Refusal.expect(.replaced) { try store.aloneHere(insert(2)) }
        await #expect(throws: LockstepError.self) { try await store.withoutTransaction(insert(3)) }
    }

    @Test("Nothing is written to a replacement of the file")
    func replaced() throws {
        let copy = try copy()
        let store = try openStore()
        try store.writeHere(insert(1))
        try replace(with: copy)
        let before = try scratch.bytes
        Refusal.expect(.replaced) { try store.blocking.write(insert(2)) }
        try? store.blocking.close()
        #expect(try scratch.bytes == before)
        // The log belongs to the old file, and stays for its users.
        for suffix in ["-wal", "-shm"] {
            try FileManager.default.removeItem(atPath: scratch.side(suffix).string)
        }
        #expect(try PageAudit(scratch.path).run(key: scratch.key()).isClean)
        #expect(try committed() == [])
    }

    @Test("A reader that was open continues with its original file")
    func replacedUnderReader() throws {
        let copy = try copy()
        let store = try openStore()
        try store.writeHere(insert(1))
        try store.readHere { connection in
            #expect(try values(connection) == [1])
            try replace(with: copy)
            #expect(try values(connection) == [1])
        }
    }
}
