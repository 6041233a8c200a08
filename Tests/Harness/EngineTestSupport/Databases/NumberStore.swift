import Synchronization

@testable import Lockstep

/// Suites that check which numbers stores leave in a table.
protocol NumberStore: NumberTable {}

extension NumberStore {
    /// A store of the database with the table `t (a INTEGER UNIQUE)`.
    func openStore(_ change: (inout StoreOptions) -> Void = { _ in }) throws -> Store {
        var options = StoreOptions()
        options.connection.synchronous = .normal
        options.longestGroup = .max
        change(&options)
        return try Store.open(scratch.path, rawKey: scratch.key(), options: options)
    }

    /// The numbers that another connection sees.
    func committed() throws -> [Int] { try values(open()) }

    /// Runs SQL outside any store.
    func prepareTable(_ script: String) throws { try scratch.open().run(script: script) }
}

/// An operation on a store's connection.
typealias Part<Value> = @Sendable (borrowing Connection) throws -> Value

extension Store {
    /// The blocking ``write(_:)``, which asynchronous code cannot name.
    func writeHere<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        try blocking.write(body)
    }

    /// The blocking ``read(_:)``.
    func readHere<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        try blocking.read(body)
    }

    /// The blocking ``withoutTransaction(_:)``.
    func aloneHere<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        try blocking.withoutTransaction(body)
    }

    /// Queues writes in order, so that they share a transaction as soon as this returns.
    func enqueue<Value: Sendable>(_ parts: [Part<Value>]) throws -> [Task<Value, any Error>] {
        // An immediate task runs here until it waits: after this use of the writer. A detached one does not count as a
        // part of it.
        try aloneHere { _ in
            parts.map { part in Task.immediateDetached { try await self.write(part) } }
        }
    }

    /// Writes in one transaction, and returns the result of each.
    func writeTogether<Value: Sendable>(_ parts: [Part<Value>]) async throws
        -> [Result<Value, any Error>]
    {
        var results: [Result<Value, any Error>] = []
        for task in try enqueue(parts) { results.append(await task.result) }
        return results
    }
}

extension Result {
    /// The code of the engine's error; nil for success and for other errors.
    var code: LockstepError.Code? {
        guard case .failure(let error) = self else { return nil }
        return (error as? LockstepError)?.code
    }

    var isSuccess: Bool { if case .success = self { true } else { false } }

    var isCancellation: Bool {
        if case .failure(let error) = self { error is CancellationError } else { false }
    }
}

/// A part that inserts a number into `t`.
func insert(_ number: Int) -> Part<Void> {
    { connection in try connection.execute("INSERT INTO t VALUES (?)", number) }
}

/// The statements that a store has run.
final class StatementLog: Sendable {
    private let statements = Mutex<[String]>([])

    func note(_ event: TraceEvent) { statements.withLock { $0.append(event.sql) } }

    func count(of sql: String) -> Int { statements.withLock { $0.count { $0 == sql } } }
}

/// Counts events of several threads.
final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    var value: Int { number.load(ordering: .acquiring) }

    /// Adds one, and returns the previous count.
    @discardableResult
    func increase() -> Int { number.add(1, ordering: .acquiringAndReleasing).oldValue }
}

/// Signals a task that a statement has reached the call of `beacon()`.
struct Beacon: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    /// `beacon()`, which returns 1.
    var function: SQLFunction {
        SQLFunction("beacon", argumentCount: 0) { [continuation] _ in
            continuation.yield()
            return .integer(1)
        }
    }

    /// Waits until `beacon()` is called. One task, once.
    func wait() async {
        for await _ in stream { return }
    }

    /// Calls `beacon()`, and never ends by itself.
    static let endlessQuery: SQL = """
        WITH RECURSIVE c (x) AS (SELECT beacon() UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c
        """

    /// The same, while it inserts into `t`.
    static let endlessInsert: SQL = """
        WITH RECURSIVE c (x) AS (SELECT 1000 * beacon() UNION ALL SELECT x + 1 FROM c)
        INSERT INTO t SELECT x FROM c
        """
}
