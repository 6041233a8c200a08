import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Store")
struct StoreTests {
    private func make(_ scratch: DatabaseScratch) throws -> Store {
        var options = ConnectionOptions()
        options.synchronous = .normal
        let store = try Store.create(scratch.path, rawKey: scratch.key(), options: StoreOptions(connection: options))
        try store.blocking.write { connection in
            try connection.execute("CREATE TABLE counter (n INTEGER NOT NULL, double INTEGER NOT NULL)")
            try connection.execute("INSERT INTO counter VALUES (0, 0)")
        }
        return store
    }

    private static func increment(_ store: Store) throws {
        try store.blocking.write { connection in
            let n: Int = try connection.value("SELECT n FROM counter") ?? -1
            try connection.execute("UPDATE counter SET n = ?", n + 1)
            try connection.execute("UPDATE counter SET double = ?", 2 * (n + 1))
        }
    }

    private static func look(_ store: Store) throws -> (n: Int, double: Int) {
        try store.blocking.read { connection in
            let n: Int = try connection.value("SELECT n FROM counter") ?? -1
            let double: Int = try connection.value("SELECT double FROM counter") ?? -1
            return (n, double)
        }
    }

    @Test(
        "A counter that many tasks read and increase is exact, and never seen half-updated")
    func counter() async throws {
        let scratch = try DatabaseScratch()
        let store = try make(scratch)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var last = 0
                    for _ in 0..<50 {
                        if task.isMultiple(of: 2) { try Self.increment(store) }
                        let (n, double) = try Self.look(store)
                        #expect(double == 2 * n && n >= last)
                        last = n
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
        let (n, double) = try Self.look(store)
        #expect(n == 200 && double == 400)
    }

    @Test("Two stores on one file count together")
    func twoStores() async throws {
        let scratch = try DatabaseScratch()
        let stores = [try make(scratch), try Store.open(scratch.path, rawKey: scratch.key())]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores {
                group.addTask { for _ in 0..<50 { try Self.increment(store) } }
            }
            try await group.waitForAll()
        }
        for store in stores { #expect(try Self.look(store).n == 100) }
    }

    @Test("A write that throws leaves nothing, and the store remains usable")
    func throwingWrite() throws {
        let scratch = try DatabaseScratch()
        let store = try make(scratch)
        #expect(throws: Stop.self) {
            try store.blocking.write { connection in
                try connection.execute("UPDATE counter SET n = 50")
                try connection.execute("CREATE TABLE other (a)")
                throw Stop()
            }
        }
        #expect(try Self.look(store).n == 0)
        #expect(try store.blocking.read { try $0.value("SELECT count(*) FROM sqlite_schema") } == 1)
        try Self.increment(store)
        #expect(try Self.look(store).n == 1)
    }

    @Test("A read that throws does not block the next")
    func throwingRead() throws {
        let scratch = try DatabaseScratch()
        let store = try make(scratch)
        #expect(throws: Stop.self) { try store.blocking.read { _ in throw Stop() } }
        try Self.increment(store)
        #expect(try Self.look(store).n == 1)
    }

    @Test("A read cannot write")
    func readOnly() throws {
        let scratch = try DatabaseScratch()
        let store = try make(scratch)
        let error = try #require(throws: LockstepError.self) {
            try store.blocking.read { try $0.execute("UPDATE counter SET n = 9") }
        }
        #expect(error.code == .readOnly)
        #expect(try Self.look(store).n == 0)
    }

    @Test("Written rows are there when the store is opened again, in one file")
    func reopening() throws {
        let scratch = try DatabaseScratch()
        do { try Self.increment(try make(scratch)) }
        #expect(try scratch.names == ["data.db"])
        #expect(try Self.look(Store.open(scratch.path, rawKey: scratch.key())).n == 1)
    }

    @Test("Creating a store over a file is refused, and so is opening a missing one") func refusals() throws {
        let scratch = try DatabaseScratch()
        let missing = try #require(throws: LockstepError.self) {
            _ = try Store.open(scratch.path, rawKey: scratch.key())
        }
        #expect(missing.code == .notFound)
        _ = try make(scratch)
        let existing = try #require(throws: LockstepError.self) {
            _ = try Store.create(scratch.path, rawKey: scratch.key())
        }
        #expect(existing.code == .alreadyExists)
    }

    @Test("A call from within a closure is refused")
    func recursion() throws {
        let scratch = try DatabaseScratch()
        let store = try Store.create(scratch.path, rawKey: scratch.key())
        Refusal.expect(.misuse) {
            try store.blocking.write { _ in try store.blocking.write { _ in } }
        }
        Refusal.expect(.misuse) {
            try store.blocking.read { _ in try store.blocking.read { _ in } }
        }
        Refusal.expect(.misuse) {
            try store.blocking.write { _ in try store.blocking.read { _ in } }
        }
        Refusal.expect(.misuse) {
            try store.blocking.read { _ in try store.blocking.write { _ in } }
        }
    }

    @Test("A statement that escapes its closure refuses to run")
    func escapedStatement() throws {
        final class Box { var statement: Statement? }
        let scratch = try DatabaseScratch()
        let store = try Store.create(scratch.path, rawKey: scratch.key())
        let box = Box()
        try store.blocking.write { box.statement = try $0.prepare("SELECT 1") }
        Refusal.expect(.misuse) { try box.statement?.run() }
    }
}
