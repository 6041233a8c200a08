import Synchronization
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Waiting for another connection's lock", .timeLimit(.minutes(20)))
struct LockWaitTests {
    private let scratch: DatabaseScratch

    init() throws {
        scratch = try DatabaseScratch()
        try scratch.fill(rows: 1)
    }

    /// Counts the questions, and stops the wait at one of them.
    private final class Stop: Sendable {
        private let asked = Atomic(0)
        private let last: Int
        var count: Int { asked.load(ordering: .relaxed) }

        init(at last: Int) { self.last = last }

        func shouldContinue() -> Bool { asked.add(1, ordering: .relaxed).newValue < last }
    }

    private func options(_ timeout: Duration, _ stop: Stop? = nil) -> ConnectionOptions {
        var options = ConnectionOptions()
        options.busyTimeout = timeout
        if let stop { options.progress = ProgressHandler(every: 1 << 30) { stop.shouldContinue() } }
        return options
    }

    @Test(
        "The progress handler ends the wait long before the timeout, and the connection stays usable"
    )
    func interrupted() throws {
        let stop = Stop(at: 3)
        let waiting = try scratch.open(options(.seconds(100_000), stop))
        let holder = try scratch.open()
        try holder.execute("BEGIN IMMEDIATE")
        let error = try #require(throws: LockstepError.self) { try waiting.write { _ in } }
        #expect(error.code == .interrupted)
        #expect(error.message == "interrupted while it waited for another connection's lock")
        #expect(stop.count == 3)
        let isOpen = waiting.isInTransaction
        #expect(!isOpen)
        try holder.execute("COMMIT")
        try waiting.write { try scratch.add(rows: 1, to: $0) }
        #expect(try scratch.count(holder) == 2)
    }

    @Test("The time of the waits is counted; without a lock nothing is")
    func counted() throws {
        let holder = try scratch.open()
        let asked = Counter()
        var options = options(.seconds(100_000))
        options.progress = .ending(holder, asked)
        let waiting = try scratch.open(options)
        try waiting.write { try scratch.add(rows: 1, to: $0) }
        let wait = waiting.core.lockWait
        #expect(wait.waited == 0)
        try holder.begin(.immediate)
        try waiting.write { try scratch.add(rows: 1, to: $0) }
        #expect(wait.waited > 0)
        #expect(!wait.wasInterrupted)
        #expect(asked.value == 3)
    }

    @Test(
        "After the timeout the connection is busy, and SQLite's own wait has the same timeout afterwards"
    )
    func timeout() throws {
        let waiting = try scratch.open(options(.milliseconds(30)))
        let holder = try scratch.open()
        try holder.execute("BEGIN IMMEDIATE")
        Refusal.expect(.busy) { try waiting.write { _ in } }
        let wait = waiting.core.lockWait
        #expect(wait.waited > 0)
        #expect(try waiting.value("PRAGMA busy_timeout") == 30)
    }

    @Test("A task that is cancelled while its write waits for another process ends") func cancelledTask() async throws {
        var options = StoreOptions()
        let stop = Stop(at: .max)
        options.connection = self.options(.seconds(100_000), stop)
        let store = try Store.open(scratch.path, rawKey: scratch.key(), options: options)
        let holder = try scratch.open()
        try holder.execute("BEGIN IMMEDIATE")
        let before = stop.count
        let task = Task { try await store.write { try scratch.add(rows: 1, to: $0) } }
        // It is in the wait once the handler has been asked there.
        while stop.count == before {
            try Task.checkCancellation()
            await Task.yield()
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try holder.execute("COMMIT")
        try await store.write { try scratch.add(rows: 1, to: $0) }
        #expect(try scratch.count(holder) == 2)
    }
}
