import Dispatch
import Foundation
import Lockstep
import SystemPackage

/// `nested-calls OUTER INNER [memory]`: calls a store, in a file or in memory, from inside one of its own calls, and
/// prints `refused: …`, or `went on`. A hang is for the caller to end.
enum NestedCalls {
    static func run(_ arguments: [String]) async {
        do {
            var options = StoreOptions()
            options.readers = 1
            let store =
                arguments.contains("memory")
                ? try Store.inMemory(options: options) : try Store.temporary(options: options)
            try await store.write { connection in
                try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB)")
                try connection.execute("INSERT INTO t VALUES (1, zeroblob(200000))")
            }
            try await call(arguments[0], of: store) {
                try await call(arguments[1], of: store) {}
            }
            print("went on")
        } catch let error as LockstepError where error.code == .misuse {
            print("refused: \(error.message)")
        } catch {
            print("failed: \(error)")
        }
    }

    /// Makes a call, and `body` in its closure, whose blocking waits for it.
    private static func call(
        _ name: String, of store: Store, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let closure: @Sendable (borrowing Connection) throws -> Void = { _ in
            try waiting(for: body)
        }
        switch name {
        case "read": try store.blocking { try $0.blocking.read(closure) }
        case "write": try store.blocking { try $0.blocking.write(closure) }
        case "withoutTransaction":
            try store.blocking { try $0.blocking.withoutTransaction(closure) }
        case "close": try await store.close()
        case "awaited-read": try await store.read(closure)
        case "awaited-write": try await store.write(closure)
        case "awaited-withoutTransaction": try await store.withoutTransaction(closure)
        case "backup": try await backup(store) { try waiting(for: body) }
        case "migrate":
            let code = try CodeMigration(version: MigrationVersion(1), name: "code", up: closure)
            try await store.migrate(MigrationSet(name: "set", files: []).adding(code))
        case "deinit":
            try await store.read { _ in
                let last = Deinit(body: body)
                withExtendedLifetime(last) {}
            }
            try Deinit.result()
        case "observe": for try await _ in store.observe(closure) { break }
        case "insertBlob":
            try await store.insertBlob(into: "t", "body", from: Chunks(body: body)) { connection in
                try connection.execute("INSERT INTO t VALUES (NULL, zeroblob(1))")
                return connection.lastInsertedRowID
            }
        case "chunks":
            for try await _ in store.chunks(of: BlobPlace(table: "t", column: "body", row: 1)) {
                try await body()
                break
            }
        default: print("failed: no call \(name)")
        }
    }

    /// Runs `body` in a task of its own, and blocks this thread until it is done.
    private static func waiting(
        for body: @escaping @Sendable () async throws -> Void
    ) throws {
        let done = DispatchSemaphore(value: 0)
        let outcome = Outcome()
        Task {
            do { try await body() } catch { outcome.error = error }
            done.signal()
        }
        done.wait()
        if let error = outcome.error { throw error }
    }

    // Sendable by this proof: the task writes it before the semaphore's signal, and the waiter reads it after.
    private final class Outcome: @unchecked Sendable {
        var error: (any Error)?
    }

    /// Calls `body` when it is released.
    private final class Deinit: Sendable {
        private static let outcome = Outcome()
        private let body: @Sendable () async throws -> Void

        init(body: @escaping @Sendable () async throws -> Void) { self.body = body }

        deinit {
            do { try NestedCalls.waiting(for: body) } catch { Self.outcome.error = error }
        }

        static func result() throws { if let error = outcome.error { throw error } }
    }

    private static func backup(
        _ store: Store, _ body: @escaping @Sendable () throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let hasCalled = Outcome()
        try await store.backup(to: FilePath(folder.appending(path: "copy.db").path)) { _ in
            guard hasCalled.error == nil else { return }
            hasCalled.error = CancellationError()
            try body()
        }
    }

    private struct Chunks: AsyncSequence, Sendable {
        let body: @Sendable () async throws -> Void

        func makeAsyncIterator() -> Iterator { Iterator(body: body) }

        struct Iterator: AsyncIteratorProtocol {
            let body: @Sendable () async throws -> Void
            var isDone = false

            mutating func next() async throws -> [UInt8]? {
                guard !isDone else { return nil }
                isDone = true
                try await body()
                return [1]
            }
        }
    }
}

extension Store {
    /// In a function that is not async, so that the blocking forms are called.
    fileprivate func blocking(_ body: (Store) throws -> Void) throws { try body(self) }
}
