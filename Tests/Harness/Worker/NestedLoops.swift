import Foundation
import Lockstep

/// `nested-loops PROGRAM`: programs whose loops over chunks call the store, as servers do. Each prints what it got. A
/// hang is for the caller to end.
enum NestedLoops {
    static func run(_ arguments: [String]) async {
        do {
            switch arguments.first {
            case "reads": try await reads()
            case "child-tasks": try await reads(inChildTasks: true)
            case "close": try await close()
            case "closers": try await closers()
            case "memory-copy": try await copy(in: .inMemory())
            case "file-copy": try await copy(in: .temporary())
            default: exit(64)
            }
        } catch {
            print("failed: \(error)")
        }
    }

    private static func photo(in store: Store, size: Int) async throws -> BlobPlace {
        try await store.write { connection in
            try connection.execute("CREATE TABLE photo (id INTEGER PRIMARY KEY, data BLOB)")
            try connection.execute("INSERT INTO photo VALUES (1, \(ZeroBytes(size)))")
        }
        return BlobPlace(table: "photo", column: "data", row: 1)
    }

    /// Eight clients get a picture, and each piece is looked up first, with four readers.
    private static func reads(inChildTasks: Bool = false) async throws {
        let store = try Store.temporary()
        let place = try await photo(in: store, size: 1_000_000)
        let isAllowed: @Sendable () async throws -> Bool = {
            let count = try await store.read {
                try $0.value("SELECT count(*) FROM photo", as: Int.self)
            }
            return count == 1
        }
        let sent = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var sent = 0
                    for try await piece in store.chunks(of: place, size: 100_000) {
                        async let answer = isAllowed()
                        let isHere = inChildTasks ? true : try await isAllowed()
                        if try await answer, isHere { sent += piece.count }
                    }
                    return sent
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        print(sent)
    }

    private static func close() async throws {
        let store = try Store.temporary()
        let place = try await photo(in: store, size: 100_000)
        var count = 0
        do {
            for try await _ in store.chunks(of: place, size: 1000) {
                count += 1
                try await store.close()
            }
        } catch let error as LockstepError {
            print("chunks: \(count), then \(error.code)")
        }
        do {
            try await store.read { _ in }
        } catch let error as LockstepError {
            print("read: \(error.code)")
        }
    }

    /// While a value streams in, as many tasks as there are processors close the store, and as many again.
    private static func closers() async throws {
        let store = try Store.temporary()
        _ = try await photo(in: store, size: 1)
        let (begun, mayEnd) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let stream = Task.detached {
            try await store.insertBlob(
                into: "photo", "data", from: Pieces(begun: begun.continuation, mayEnd: mayEnd.stream)
            ) { connection in
                try connection.execute("INSERT INTO photo VALUES (2, \(ZeroBytes(20_000)))")
                return 2
            }
        }
        for await _ in begun.stream { break }
        let count = ProcessInfo.processInfo.activeProcessorCount * 2
        let closers = (0..<count).map { number in
            Task.detached {
                if number == count - 1 { mayEnd.continuation.finish() }
                try await store.close()
            }
        }
        for closer in closers { try await closer.value }
        print("closed; row \(try await stream.value)")
    }

    /// Twenty pieces of 1,000 bytes, of which all but the first come when they may.
    private struct Pieces: AsyncSequence, Sendable {
        let begun: AsyncStream<Void>.Continuation
        let mayEnd: AsyncStream<Void>

        struct Iterator: AsyncIteratorProtocol {
            let pieces: Pieces
            var left = 20

            mutating func next() async throws -> [UInt8]? {
                guard left > 0 else { return nil }
                left -= 1
                if left == 18 {
                    pieces.begun.finish()
                    for await _ in pieces.mayEnd {}
                }
                await Task.yield()
                return [UInt8](repeating: 7, count: 1000)
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(pieces: self) }
    }

    private static func copy(in store: Store) async throws {
        let place = try await photo(in: store, size: 1000)
        let row = try await store.insertBlob(
            into: "photo", "data", from: store.chunks(of: place, size: 100)
        ) { connection in
            try connection.execute("INSERT INTO photo VALUES (2, \(ZeroBytes(1000)))")
            return 2
        }
        print("copied to row \(row)")
    }
}
