import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The connections that sequences of chunks and jobs keep, besides those of reads.
@Suite("Readers that keep a snapshot", .timeLimit(.minutes(20))) struct SnapshotReadersTests: NumberStore {
    let scratch: DatabaseScratch

    init() throws {
        scratch = try Self.makeScratch()
        try prepareTable("CREATE TABLE b (data BLOB); INSERT INTO b VALUES (zeroblob(10000))")
    }

    private func chunks(_ store: Store) -> BlobChunks.Iterator {
        store.chunks(of: BlobPlace(table: "b", column: "data", row: 1), size: 1000).makeAsyncIterator()
    }

    /// The number of readers that share the cache.
    private func openReaders(_ store: Store) -> Int {
        store.source.options.cacheBytes / 4 * 3 / store.source.readerCacheBytes
    }

    @Test("From the limit on a sequence is refused, at once, and after one has ended it is not")
    func limit() async throws {
        let store = try openStore {
            $0.readers = 1
            $0.streams = 3
        }
        var open: [BlobChunks.Iterator] = []
        for _ in 0..<3 {
            var next = chunks(store)
            _ = try await next.next()
            open.append(next)
        }
        var refused = chunks(store)
        let error = await #expect(throws: LockstepError.self) { _ = try await refused.next() }
        #expect(error?.code == .limitExceeded && error?.hint != nil)
        #expect(error?.context == .file(scratch.path))
        let read: Int? = try await store.read { try $0.value("SELECT count(*) FROM b") }
        #expect(read == 1)
        open.removeLast()
        var next = chunks(store)
        #expect(try await next.next()?.count == 1000)
    }

    @Test("As many connections stay open as reads have, the others close", arguments: [0, 1, 2])
    func spare(readers: Int) async throws {
        let store = try openStore { $0.readers = readers }
        let before = openReaders(store)
        var open = (0..<6).map { _ in chunks(store) }
        for number in open.indices { _ = try await open[number].next() }
        #expect(openReaders(store) == before + 6)
        open = []
        #expect(openReaders(store) == before + max(readers, 1))
        var next = chunks(store)
        _ = try await next.next()
        #expect(openReaders(store) == before + max(readers, 1))
    }

    @Test("A connection that does not open is not counted")
    func failing() async throws {
        let store = try openStore { $0.streams = 1 }
        let place = BlobPlace(table: "missing", column: "data", row: 1)
        for _ in 0..<3 {
            await #expect(throws: LockstepError.self) {
                for try await _ in store.chunks(of: place) {}
            }
        }
        var next = chunks(store)
        #expect(try await next.next()?.count == 1000)
    }

    @Test("A store in memory copies the value, and no unfinished sequence keeps its connection")
    func inMemory() async throws {
        let store = try Store.inMemory()
        try await store.write { connection in
            try connection.execute("CREATE TABLE b (data BLOB)")
            try connection.execute("INSERT INTO b VALUES (x'0102030405')")
        }
        let place = BlobPlace(table: "b", column: "data", row: 1)
        var iterators = (0..<3).map { _ in store.chunks(of: place, size: 2).makeAsyncIterator() }
        for number in iterators.indices {
            #expect(try await iterators[number].next() == [1, 2])
        }
        try await store.write { try $0.execute("UPDATE b SET data = x'00'") }
        for number in iterators.indices {
            #expect(try await iterators[number].next() == [3, 4])
            #expect(try await iterators[number].next() == [5])
            #expect(try await iterators[number].next() == nil)
        }
        var missing = store.chunks(of: BlobPlace(table: "b", column: "data", row: 2)).makeAsyncIterator()
        await #expect(throws: LockstepError.self) { _ = try await missing.next() }
    }

    @Test("In a store in memory the sequence of an insert can begin other sequences, at any time")
    func inMemoryInsert() async throws {
        let store = try Store.inMemory()
        try await store.write { connection in
            try connection.execute("CREATE TABLE b (id INTEGER PRIMARY KEY, data BLOB)")
            try connection.execute("INSERT INTO b VALUES (1, x'0102030405')")
        }
        let place = BlobPlace(table: "b", column: "data", row: 1)
        let row = try await store.insertBlob(
            into: "b", "data", from: Repeated(store: store, place: place, times: 3)
        ) { connection in
            try connection.execute("INSERT INTO b VALUES (2, \(ZeroBytes(15)))")
            return 2
        }
        let value = try await store.read { connection in
            try connection.value("SELECT data FROM b WHERE id = \(row)", as: [UInt8].self)
        }
        #expect(value == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5])
    }

    /// A value several times, each from a sequence of its own.
    private struct Repeated: AsyncSequence, Sendable {
        let store: Store
        let place: BlobPlace
        let times: Int

        struct Iterator: AsyncIteratorProtocol {
            let sequence: Repeated
            var left: Int

            mutating func next() async throws -> [UInt8]? {
                guard left > 0 else { return nil }
                left -= 1
                var bytes: [UInt8] = []
                for try await chunk in sequence.store.chunks(of: sequence.place, size: 2) {
                    bytes += chunk
                }
                return bytes
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(sequence: self, left: times) }
    }
}
