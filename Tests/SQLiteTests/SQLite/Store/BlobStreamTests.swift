import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Blobs in chunks")
struct BlobStreamTests {
    private let scratch: DatabaseScratch
    private let store: Store

    init() throws {
        scratch = try DatabaseScratch()
        store = try Store.create(scratch.path, rawKey: scratch.key())
        try store.blocking.write {
            try $0.execute("CREATE TABLE photo (id INTEGER PRIMARY KEY, data)")
        }
    }

    /// Chunks, and then an error or cancellation if one is planned.
    private struct Chunks: AsyncSequence, Sendable {
        enum End: Sendable { case regular, error, cancellation }

        var chunks: [[UInt8]]
        var end = End.regular

        struct Iterator: AsyncIteratorProtocol {
            var rest: ArraySlice<[UInt8]>
            let end: End

            mutating func next() async throws -> [UInt8]? {
                if let chunk = rest.popFirst() { return chunk }
                switch end {
                case .regular: return nil
                case .error: throw Stop()
                case .cancellation:
                    withUnsafeCurrentTask { unsafe $0?.cancel() }
                    return [0]
                }
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(rest: chunks[...], end: end) }
    }

    private func insert(_ chunks: Chunks, room: Int) async throws -> Int64 {
        try await store.insertBlob(into: "photo", "data", from: chunks) { connection in
            try connection.execute("INSERT INTO photo (data) VALUES (?)", ZeroBytes(room))
            return connection.lastInsertedRowID
        }
    }

    private var rows: Int? {
        get async throws { try await store.read { try $0.value("SELECT count(*) FROM photo") } }
    }

    private func place(_ row: Int64) -> BlobPlace {
        BlobPlace(table: "photo", column: "data", row: row)
    }

    private static func pattern(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 8) }
    }

    @Test("After its last chunk a stream holds no snapshot, however long it lives")
    func released() async throws {
        try await store.write { try $0.execute("INSERT INTO photo VALUES (1, zeroblob(100000))") }
        var chunks = store.chunks(of: place(1), size: 40_000).makeAsyncIterator()
        while try await chunks.next() != nil {}
        try await store.write { try $0.execute("INSERT INTO photo VALUES (2, zeroblob(100000))") }
        #expect(try scratch.open().checkpoint(.passive).isComplete)
        #expect(try await chunks.next() == nil)
    }

    @Test(
        "Data written in chunks is read in chunks of another size",
        arguments: [0, 1, 4096, 65_535, 65_536, 65_537, 300_000], [1000, 65_536])
    func roundTrip(_ count: Int, _ size: Int) async throws {
        let bytes = Self.pattern(count)
        let chunks = stride(from: 0, to: count, by: 7919).map {
            Array(bytes[$0..<min($0 + 7919, count)])
        }
        let row = try await insert(Chunks(chunks: chunks + [[]]), room: count)
        var read: [UInt8] = []
        var sizes: [Int] = []
        for try await chunk in store.chunks(of: place(row), size: size) {
            read += chunk
            sizes.append(chunk.count)
        }
        #expect(read == bytes)
        #expect(sizes.dropLast().allSatisfy { $0 == size } && !sizes.contains(0))
    }

    @Test("All chunks belong to one moment, whatever is written to the row meanwhile") func snapshot() async throws {
        let old = Self.pattern(500_000)
        let row = try await insert(Chunks(chunks: [old]), room: old.count)
        var read: [UInt8] = []
        var number = 0
        for try await chunk in store.chunks(of: place(row), size: 50_000) {
            read += chunk
            switch number {
            case 0:
                try await store.write { connection in
                    try connection.withBlob(place(row), .write) { blob in
                        try blob.write([UInt8](repeating: 0, count: old.count), at: 0)
                    }
                }
            case 3: try await store.write { try $0.execute("UPDATE photo SET data = x'00'") }
            case 5: try await store.write { try $0.execute("DELETE FROM photo") }
            default: break
            }
            number += 1
        }
        #expect(read == old && number == 10)
        #expect(try await rows == 0)
    }

    @Test("A stream abandoned in the middle frees its reader for others")
    func abandoned() async throws {
        let row = try await insert(Chunks(chunks: [Self.pattern(100_000)]), room: 100_000)
        for _ in 0..<20 {
            for try await _ in store.chunks(of: place(row), size: 1000) { break }
        }
        #expect(try await rows == 1)
        try await store.withoutTransaction { connection in
            let checkpoint = try connection.checkpoint(.truncate)
            #expect(checkpoint.isComplete)
        }
    }

    @Test(
        "Fewer or more bytes than the reserved size insert nothing",
        arguments: [0, 9, 11, 50_000])
    func wrongNumber(_ count: Int) async throws {
        let chunks = Chunks(chunks: [Self.pattern(count / 2), Self.pattern(count - count / 2)])
        let error = await #expect(throws: LockstepError.self) {
            _ = try await insert(chunks, room: 10)
        }
        #expect(error?.code == .misuse && error?.hint != nil)
        #expect(try await rows == 0)
    }

    @Test("A producer that throws, or a row that cannot be inserted, leaves nothing") func throwing() async throws {
        await #expect(throws: Stop.self) {
            _ = try await insert(Chunks(chunks: [[1, 2]], end: .error), room: 10)
        }
        await #expect(throws: Stop.self) {
            try await store.insertBlob(into: "photo", "data", from: Chunks(chunks: [[1]])) {
                connection in
                try connection.execute("INSERT INTO photo (data) VALUES (x'00')")
                throw Stop()
            }
        }
        await #expect(throws: LockstepError.self) {
            try await store.insertBlob(into: "photo", "data", from: Chunks(chunks: [[1]])) { _ in 77 }
        }
        #expect(try await rows == 0)
        // The writer is free again.
        #expect(try await insert(Chunks(chunks: [[5]]), room: 1) > 0)
    }

    @Test("A cancelled insertion inserts nothing")
    func cancelled() async throws {
        let store = store
        let task = Task {
            try await store.insertBlob(
                into: "photo", "data", from: Chunks(chunks: [[1, 2]], end: .cancellation)
            ) { connection in
                try connection.execute("INSERT INTO photo (data) VALUES (?)", ZeroBytes(3))
                return connection.lastInsertedRowID
            }
        }
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(try await rows == 0)
        #expect(try await insert(Chunks(chunks: [[5]]), room: 1) > 0)
    }

    @Test("A value that is missing, or changed its type, ends the chunks with an error") func missing() async throws {
        await #expect(throws: LockstepError.self) {
            for try await _ in store.chunks(of: place(5)) {}
        }
        try await store.write { try $0.execute("INSERT INTO photo VALUES (6, 12)") }
        await #expect(throws: LockstepError.self) {
            for try await _ in store.chunks(of: place(6)) {}
        }
        try await store.close()
        await #expect(throws: LockstepError.self) {
            for try await _ in store.chunks(of: place(6)) {}
        }
    }
}
