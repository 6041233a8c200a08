import Foundation

/// A thread of a test, for calls that block.
struct TestThread: Sendable {
    private let outcome: AsyncThrowingStream<Void, any Error>

    /// Starts to run `body`.
    init(_ body: @escaping @Sendable () throws -> Void) {
        let (outcome, continuation) = AsyncThrowingStream<Void, any Error>.makeStream()
        self.outcome = outcome
        Thread.detachNewThread {
            do {
                try body()
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
    }

    /// Waits until it has ended, and throws the error of `body`. One task, once.
    func end() async throws { for try await _ in outcome {} }
}

/// Keeps one thread waiting until another opens it.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    func pass() { semaphore.wait() }
}
