import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Sealed blobs in a store")
struct SealedBlobStoreTests {
    let bench: SealedBlobWorkbench
    let store: Store

    init() throws {
        bench = try SealedBlobWorkbench()
        do { _ = try bench.open() }
        store = try Self.open(bench)
    }

    private static func open(_ bench: SealedBlobWorkbench) throws -> Store {
        var options = StoreOptions()
        options.connection.fieldKeys = [bench.keys]
        options.connection.mayBeUnsealed = true
        return try Store.open(
            bench.films.path, rawKey: bench.films.databaseKey(), options: options)
    }

    private static func stream(
        _ bytes: [UInt8], failing: Bool = false
    ) -> AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { continuation in
            let next = SealedBlobWorkbench.pieces(bytes, of: 30_011)
            while let piece = next() { continuation.yield(piece) }
            continuation.finish(throwing: failing ? Stop() : nil)
        }
    }

    private func write(
        _ bytes: [UInt8], count: Int? = nil, failing: Bool = false
    ) async throws -> Int64 {
        try await store.writeSealedBlob(
            into: "reel", "data", count: count ?? bytes.count, from: Self.stream(bytes, failing: failing)
        ) { connection in
            try connection.execute("INSERT INTO reel (name) VALUES ('new')")
            return connection.lastInsertedRowID
        }
    }

    private func read(_ row: Int64, size: Int = 50_000) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await piece in store.sealedChunks(of: SealedBlobWorkbench.place(row), size: size) {
            #expect(piece.count <= size)
            bytes += piece
        }
        return bytes
    }

    @Test(
        "a value written in pieces is read in pieces, and through the view",
        arguments: [0, 1, 16_383, 200_000])
    func roundTrip(count: Int) async throws {
        let bytes = SealedBlobWorkbench.bytes(count)
        let row = try await write(bytes)
        #expect(try await read(row) == bytes)
        #expect(try await read(row, size: 777) == bytes)
        let view = try await store.read { connection in
            try connection.value("SELECT data FROM reel_open WHERE id = ?", row, as: [UInt8].self)
        }
        #expect(view == bytes)
        let other = SealedBlobWorkbench.bytes(count + 1, salt: 1)
        try await store.write { connection in try connection.write(other, toReel: row) }
        #expect(try await read(row) == other)
        try await store.close()
    }

    @Test("waiting threads do the same through the connection that they are lent")
    func blocking() throws {
        let bytes = SealedBlobWorkbench.bytes(50_000)
        try store.blocking.write { connection in try connection.write(bytes, toReel: 2) }
        let read = try store.blocking.read { connection in try connection.readReel(2) }
        #expect(read == bytes)
        try store.blocking.close()
    }

    @Test("a write that fails midway leaves nothing, and the store keeps working")
    func undone() async throws {
        let bytes = SealedBlobWorkbench.bytes(100_000)
        await #expect(throws: Stop.self) { _ = try await write(bytes, failing: true) }
        for count in [99_999, 100_001] {
            await #expect(throws: LockstepError.self) { _ = try await write(bytes, count: count) }
        }
        let rows = try await store.read { try $0.value("SELECT count(*) FROM reel", as: Int.self) }
        #expect(rows == 2)
        // An existing row keeps its value.
        try await store.write { connection in try connection.write([1, 2, 3], toReel: 1) }
        await #expect(throws: Stop.self) {
            try await store.writeSealedBlob(
                into: "reel", "data", count: bytes.count,
                from: Self.stream(bytes, failing: true)
            ) { _ in 1 }
        }
        #expect(try await read(1) == [1, 2, 3])
        try await store.close()
    }

    @Test("pieces come from one snapshot, whatever is written meanwhile")
    func snapshot() async throws {
        let bytes = SealedBlobWorkbench.bytes(100_000)
        let row = try await write(bytes)
        var read: [UInt8] = []
        for try await piece in store.sealedChunks(of: SealedBlobWorkbench.place(row), size: 9999) {
            if read.isEmpty {
                try await store.write { connection in try connection.write([7], toReel: row) }
            }
            read += piece
        }
        #expect(read == bytes)
        #expect(try await self.read(row) == [7])
        try await store.close()
    }

    @Test("an open store, its writer included, notices what another connection has sealed") func learns() async throws {
        let bench = try SealedBlobWorkbench()
        let other = try bench.films.open()
        try other.run(
            script:
                "CREATE TABLE reel (id INTEGER PRIMARY KEY, data); INSERT INTO reel VALUES (1, x'00')"
        )
        let store = try Self.open(bench)
        // Its writer works before there is anything to notice.
        try await store.write { try $0.execute("INSERT INTO reel VALUES (2, x'01')") }
        try other.protect("data", of: "reel", keys: bench.keys)
        try await store.write { try $0.write([1, 2, 3], toReel: 1) }
        try await store.write { try $0.execute("UPDATE reel_open SET data = x'05' WHERE id = 2") }
        try await store.writeSealedBlob(
            into: "reel", "data", count: 2, from: Self.stream([8, 9])
        ) { _ in 1 }
        #expect(try other.readReel(1) == [8, 9])
        #expect(try other.readReel(2) == [5])
        try await store.close()
    }
}
