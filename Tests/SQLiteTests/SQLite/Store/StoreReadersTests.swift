import Synchronization
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Concurrent reads, each on its snapshot.
// One at a time: a read can occupy one of Swift's own threads, of which there may be only two.
@Suite("Readers of a store", .serialized, .timeLimit(.minutes(20))) struct StoreReadersTests: NumberStore {
    let scratch: DatabaseScratch

    init() throws { scratch = try Self.makeScratch() }

    private static let count: Part<Int> = { connection in
        try connection.value("SELECT count(*) FROM t") ?? -1
    }

    /// Reads as a task does that finds none of Swift's own threads free: on one of the store's threads.
    private func readElsewhere<Value: Sendable>(
        _ store: Store, _ body: @escaping Part<Value>
    ) async throws -> Value {
        try await PendingCall(#require(store.readers), running: body).outcome()
    }

    @Test(
        "More reads than readers are all served, however many readers there are", arguments: 0..<3)
    func manyReads(readers: Int) async throws {
        let store = try openStore { $0.readers = readers }
        try store.writeHere(insert(1))
        let threads = (0..<4).map { _ in
            TestThread {
                for _ in 0..<20 {
                    let count = try store.blocking.read(Self.count)
                    #expect(count == 1)
                }
            }
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await store.read(Self.count) } }
            for try await count in group { #expect(count == 1) }
        }
        for thread in threads { try await thread.end() }
    }

    @Test("A read that is cancelled after its turn has come but before it starts does not run")
    func cancelledOnTurn() async throws {
        let store = try openStore()
        let queue = try #require(store.readers)
        let task = Mutex<Task<Bool, any Error>?>(nil)
        let isKnown = Gate()
        let hasRun = Mutex(false)
        let reading = Task {
            try await PendingCall<Bool>(queue) { call, pooled in
                isKnown.pass()
                task.withLock { $0?.cancel() }
                let result = Result {
                    try call.use(pooled) { _ in
                        hasRun.withLock { $0 = true }
                        return true
                    }
                }
                queue.giveBack(pooled)
                call.finish(result)
            }
            .outcome()
        }
        task.withLock { $0 = reading }
        isKnown.open()
        #expect(await reading.result.isCancellation)
        let ran = hasRun.withLock { $0 }
        #expect(!ran)
    }

    @Test("A reader is opened when it is first needed, and reused")
    func lazily() throws {
        let store = try openStore { $0.readers = 3 }
        for _ in 0..<10 { _ = try store.readHere(Self.count) }
        #expect(openReaders(store) == 1)
        let (begun, mayEnd) = (Gate(), Gate())
        let thread = TestThread {
            try store.blocking.read { _ in
                begun.open()
                mayEnd.pass()
            }
        }
        begun.pass()
        _ = try store.readHere(Self.count)
        #expect(openReaders(store) == 2)
        mayEnd.open()
        withExtendedLifetime(thread) {}
    }

    /// The number of readers that share the cache.
    private func openReaders(_ store: Store) -> Int {
        store.source.options.cacheBytes / 4 * 3 / store.source.readerCacheBytes
    }

    @Test(
        "A long read keeps neither the writer nor other reads waiting, and sees its snapshot")
    func longRead() async throws {
        let store = try openStore { $0.readers = 2 }
        try store.writeHere(insert(1))
        let (begun, mayEnd) = (Gate(), Gate())
        let long = TestThread {
            try store.blocking.read { connection in
                let before = try Self.count(connection)
                begun.open()
                mayEnd.pass()
                let after = try Self.count(connection)
                #expect(before == 1 && after == 1)
            }
        }
        try await TestThread { begun.pass() }.end()
        for number in 2...50 {
            try await store.write(insert(number))
            #expect(try await store.read(Self.count) == number)
        }
        mayEnd.open()
        try await long.end()
        #expect(try await store.read(Self.count) == 50)
    }

    @Test("While the only reader is in use, a read waits, and a cancelled one stops waiting")
    func waiting() async throws {
        let store = try openStore { $0.readers = 1 }
        let tasks = try store.readHere { _ in
            let tasks = (0..<3).map { _ in
                Task.immediate { try await readElsewhere(store, Self.count) }
            }
            tasks[1].cancel()
            return tasks
        }
        #expect(await tasks[1].result.isCancellation)
        #expect(try await tasks[0].value == 0)
        #expect(try await tasks[2].value == 0)
    }

    @Test("A cancelled read ends, and its reader serves the next", arguments: [1, 4])
    func cancellation(readers: Int) async throws {
        let beacon = Beacon()
        let store = try openStore {
            $0.connection.functions = [beacon.function]
            $0.readers = readers
        }
        let task = Task { try await store.read { try $0.execute(Beacon.endlessQuery) } }
        await beacon.wait()
        task.cancel()
        #expect(await task.result.isCancellation)
        #expect(try await store.read(Self.count) == 0)
        try await store.write(insert(1))
        #expect(try await store.read(Self.count) == 1)
    }

    @Test("A read that is cancelled between two statements runs no further statement")
    func cancelledBetween() async throws {
        let store = try openStore()
        let (running, mayGoOn) = (AsyncStream<Void>.makeStream(), Gate())
        let ran = Counter()
        let task = Task {
            try await readElsewhere(store) { connection in
                _ = try Self.count(connection)
                running.continuation.yield()
                mayGoOn.pass()
                _ = try Self.count(connection)
                ran.increase()
            }
        }
        for await _ in running.stream { break }
        task.cancel()
        mayGoOn.open()
        #expect(await task.result.isCancellation)
        #expect(ran.value == 0)
    }

    @Test("A read while the file grows and is checkpointed sees one state")
    func growingFile() async throws {
        try prepareTable("CREATE TABLE big (id INTEGER PRIMARY KEY, body BLOB)")
        let store = try openStore { $0.checkpointPages = 10 }
        let add: Part<Void> = { connection in
            for _ in 0..<20 {
                try connection.execute("INSERT INTO big (body) VALUES (zeroblob(5000))")
            }
        }
        try store.writeHere(add)
        try open().read { connection throws in
            let sum: SQL = "SELECT count(*) + sum(length(body)) FROM big"
            let before: Int? = try connection.value(sum)
            for _ in 0..<20 {
                try store.blocking.write(add)
                #expect(try connection.value(sum) == before)
            }
        }
        #expect(try store.readHere { try $0.value("SELECT count(*) FROM big") } == 420)
        try await store.close()
        let audit = try await JobThread.run { try PageAudit(scratch.path).run(key: scratch.key()) }
        #expect(audit.isClean)
    }

    @Test("An asynchronous call from the main actor runs its closure elsewhere")
    @MainActor
    func mainActor() async throws {
        let store = try openStore()
        // After an await the main actor can go on with another thread, where the system has no run loop.
        func isHere() -> Part<Bool> {
            let here = ThreadIdentity.current
            return { _ in ThreadIdentity.current == here }
        }
        for _ in 0..<20 {
            #expect(try await !store.read(isHere()))
            #expect(try await !store.write(isHere()))
            #expect(try await !store.withoutTransaction(isHere()))
        }
        #expect(try await !Store.inMemory().read(isHere()))
    }

    /// Carries a statement out of its closure.
    private final class Box: @unchecked Sendable {
        var statement: Statement?
    }

    @Test("A statement released on another thread does no harm, not even after the end")
    func escapedStatement() async throws {
        let store = try openStore { $0.readers = 1 }
        try store.writeHere(insert(1))
        for _ in 0..<20 {
            let box = Box()
            try await store.read { box.statement = try $0.prepare("SELECT a FROM t") }
            let other = TestThread {
                Refusal.expect(.misuse) { try box.statement?.run() }
                box.statement = nil
            }
            for _ in 0..<5 { #expect(try await store.read(Self.count) == 1) }
            try await other.end()
        }
        let last = Box()
        try await store.read { last.statement = try $0.prepare("SELECT a FROM t") }
        try await store.close()
        Refusal.expect(.misuse) { try last.statement?.run() }
        last.statement = nil
        #expect(try scratch.names == ["data.db"])
    }
}
