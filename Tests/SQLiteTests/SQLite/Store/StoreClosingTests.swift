import Foundation
import SystemPackage
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The ways in which stores close.
@Suite("Closing a store", .timeLimit(.minutes(20)))
struct StoreClosingTests: NumberStore {
    let scratch: DatabaseScratch

    init() throws { scratch = try Self.makeScratch() }

    @Test("Later calls are refused, of every kind")
    func callsAfterwards() async throws {
        let store = try openStore()
        try store.writeHere(insert(1))
        try await store.close()
        Refusal.expect(.closed) { try store.writeHere(insert(2)) }
        Refusal.expect(.closed) { try store.readHere { _ in } }
        Refusal.expect(.closed) { try store.aloneHere { _ in } }
        let write = Task { try await store.write(insert(2)) }
        #expect(await write.result.code == .closed)
        let read = Task { try await store.read { _ in } }
        #expect(await read.result.code == .closed)
        let alone = Task { try await store.withoutTransaction { _ in } }
        #expect(await alone.result.code == .closed)
        #expect(try committed() == [1])
        #expect(try scratch.names == ["data.db"])
    }

    @Test("Closing twice, also from two threads, is the same as closing once")
    func twice() async throws {
        let store = try openStore()
        try store.writeHere(insert(1))
        try await store.close()
        try await store.close()
        let thread = TestThread { try store.blocking.close() }
        try await thread.end()
    }

    @Test("Closing wipes the key")
    func key() throws {
        let store = try openStore()
        try store.source.withKey { _ in }
        try store.blocking.close()
        Refusal.expect(.closed) { try store.source.withKey { _ in } }
    }

    @Test("Closing waits for a write and a read in progress")
    func borrowers() async throws {
        let store = try openStore()
        let (begun, mayEnd) = (Gate(), Gate())
        let body: @Sendable (borrowing Connection) throws -> Void = { connection in
            begun.open()
            mayEnd.pass()
            _ = try connection.value("SELECT count(*) FROM t", as: Int.self)
        }
        let users = [
            TestThread {
                try store.writeHere { connection in
                    try body(connection)
                    try insert(1)(connection)
                }
            },
            TestThread { try store.readHere(body) },
        ]
        let closed = Counter()
        let closer = TestThread {
            begun.pass()
            begun.pass()
            // From here on new calls are refused, and the two continue.
            store.readers?.close { closed.increase() }
            #expect(closed.value == 0)
            mayEnd.open()
            mayEnd.open()
            try store.blocking.close()
            #expect(closed.value == 1)
        }
        for thread in users + [closer] { try await thread.end() }
        #expect(try committed() == [1])
        #expect(try scratch.names == ["data.db"])
    }

    @Test("Closing from within a closure is refused, and the store remains open")
    func fromWithin() async throws {
        let store = try openStore()
        Refusal.expect(.misuse) { try store.writeHere { _ in try store.blocking.close() } }
        Refusal.expect(.misuse) { try store.readHere { _ in try store.blocking.close() } }
        Refusal.expect(.misuse) { try store.aloneHere { _ in try store.blocking.close() } }
        let write = Task { try await store.write { _ in try store.blocking.close() } }
        #expect(await write.result.code == .misuse)
        let read = Task { try await store.read { _ in try store.blocking.close() } }
        #expect(await read.result.code == .misuse)
        try store.writeHere(insert(1))
        #expect(try committed() == [1])
    }

    @Test("Closing ends every sequence of chunks, with an error, and waits for none")
    func streams() async throws {
        try prepareTable("CREATE TABLE b (data BLOB); INSERT INTO b VALUES (zeroblob(100000))")
        let store = try openStore()
        let chunks = store.chunks(of: BlobPlace(table: "b", column: "data", row: 1), size: 1000)
        var iterators = (0..<10).map { _ in chunks.makeAsyncIterator() }
        for number in iterators.indices { _ = try await iterators[number].next() }
        try await store.close()
        for number in iterators.indices {
            let error = await #expect(throws: LockstepError.self) {
                _ = try await iterators[number].next()
            }
            #expect(error?.code == .closed)
            #expect(try await iterators[number].next() == nil)
        }
        #expect(try scratch.names == ["data.db"])
    }

    @Test("Many tasks and threads close at once, and each returns when it is closed")
    func many() async throws {
        let store = try openStore()
        let threads = (0..<4).map { _ in TestThread { try store.blocking.close() } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    if number == 0 { withUnsafeCurrentTask { unsafe $0?.cancel() } }
                    try await store.close()
                    #expect(try scratch.names == ["data.db"])
                }
            }
            try await group.waitForAll()
        }
        for thread in threads { try await thread.end() }
    }

    /// Holds a store until it is released.
    private final class Holder: @unchecked Sendable {
        var store: Store?
        init(_ store: Store) { self.store = store }
    }

    @Test("The last reference can be released inside a closure of the store, on any thread")
    func lastReference() async throws {
        for number in 0..<10 {
            let holder = Holder(try openStore())
            // Neither call retains the store itself: the closure releases the last reference.
            let (writer, readers) = (holder.store?.writer, holder.store?.readers)
            if number.isMultiple(of: 2) {
                try await writer?.write { connection in
                    holder.store = nil
                    try insert(number)(connection)
                }
            } else {
                let queue = try #require(readers)
                let count = try await PendingCall(queue) { connection -> Int? in
                    holder.store = nil
                    return try connection.value("SELECT count(*) FROM t")
                }.outcome()
                #expect(count == (number + 1) / 2)
            }
        }
        #expect(try committed() == [0, 2, 4, 6, 8])
    }

    @Test("A store without references checkpoints its log into the file")
    func release() throws {
        do { try openStore().writeHere(insert(1)) }
        #expect(try scratch.names == ["data.db"])
        #expect(try committed() == [1])
    }

    // MARK: Stores without a permanent file

    @Test("A temporary store reads and writes, and its files and folder are deleted with it") func temporary() throws {
        let store = try Store.temporary()
        try store.writeHere { try $0.execute("CREATE TABLE t (a)") }
        try store.writeHere(insert(1))
        #expect(try store.readHere { try values($0) } == [1])
        let folder = store.path.removingLastComponent()
        #expect(FileManager.default.fileExists(atPath: store.path.string))
        try store.blocking.close()
        #expect(!FileManager.default.fileExists(atPath: folder.string))
    }

    @Test("A store in memory reads, writes and refuses like one in a file")
    func inMemory() async throws {
        let store = try Store.inMemory()
        try store.writeHere { try $0.execute("CREATE TABLE t (a INTEGER UNIQUE)") }
        let parts: [Part<Void>] = [insert(1), { try $0.execute("INSERT INTO t VALUES (1)") }, insert(2)]
        let results = try await store.writeTogether(parts)
        #expect(results.map { $0.isSuccess } == [true, false, true])
        #expect(try await store.read { try values($0) } == [1, 2])
        Refusal.expect(.readOnly) { try store.readHere(insert(3)) }
        Refusal.expect(.misuse) { try store.readHere { _ in try store.readHere { _ in } } }
        try store.writeHere(insert(4))
        #expect(try store.readHere { try values($0) } == [1, 2, 4])
        try await store.close()
        Refusal.expect(.closed) { try store.readHere { _ in } }
    }

    @Test("A store in memory can be written after a read of it was cancelled")
    func inMemoryCancellation() async throws {
        let beacon = Beacon()
        var options = StoreOptions()
        options.connection.functions = [beacon.function]
        let store = try Store.inMemory(options: options)
        try store.writeHere { try $0.execute("CREATE TABLE t (a INTEGER UNIQUE)") }
        let read = Task { try await store.read { try $0.execute(Beacon.endlessQuery) } }
        await beacon.wait()
        read.cancel()
        #expect(await read.result.isCancellation)
        try store.writeHere(insert(1))
        #expect(try store.readHere { try values($0) } == [1])
    }
}
