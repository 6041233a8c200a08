import Synchronization
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Which of Swift's threads a store can use.
@Suite("Threads lent to a store", .timeLimit(.minutes(20))) struct CallerThreadPermitTests: NumberStore {
    let scratch: DatabaseScratch

    init() throws { scratch = try Self.makeScratch() }

    /// During its run it asks whether the thread would run another call.
    private final class Asking: ConnectionQueue.Caller, @unchecked Sendable {
        let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }

        func run(on pooled: PooledConnection) { body() }
        func refuse(_ error: any Error) {}
    }

    @Test(
        "Only the thread itself runs the calls it is handed, and only while it runs calls",
        .enabled(if: Processors.count > 1, "with one processor, no thread is lent"))
    func otherThread() async throws {
        var permit = CallerThreadPermit(longestTurn: .max)
        while permit == nil {
            // Other tests have borrowed all threads.
            try Task.checkCancellation()
            await Task.yield()
            permit = CallerThreadPermit(longestTurn: .max)
        }
        let thread = try #require(permit)
        defer { thread.giveBack() }
        let pooled = PooledConnection { throw ConnectionQueue.closed }
        var runs = 0
        let last = Asking { runs += 1 }
        #expect(!thread.takesOver(last))
        let first = Asking {
            let answer = Mutex(true)
            let (done, worker) = (Latch(), WorkerThread())
            nonisolated(unsafe) let lent = thread
            #expect(throws: Never.self) {
                try worker.submit {
                    let takesOver = lent.takesOver(Asking {})
                    answer.withLock { $0 = takesOver }
                    done.open()
                }
            }
            done.wait()
            #expect(!answer.withLock { $0 })
            #expect(thread.takesOver(last))
            #expect(runs == 0)
        }
        thread.run(first, on: pooled)
        #expect(runs == 1)
        #expect(!thread.takesOver(last))
    }

    @Test("However many calls write and read at once, other tasks make progress")
    func othersGoOn() async throws {
        let stores = try (0..<2 * Processors.count).map { _ in try openStore() }
        let gates = stores.map { _ in Latch() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (store, gate) in zip(stores, gates) {
                group.addTask {
                    // Each blocks its thread until the task below has run.
                    try await store.read { _ in gate.wait() }
                }
            }
            group.addTask { for gate in gates { gate.open() } }
            try await group.waitForAll()
        }
    }
}
