import Dispatch
import Synchronization

/// Blocks this thread until an asynchronous call ends.
package enum Blocking {
    package static func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let box = Box<Value>()
        Task.detached {
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            box.outcome.withLock { $0 = result }
            box.done.signal()
        }
        box.done.wait()
        guard let result = box.outcome.withLock({ $0 }) else {
            throw BenchError("a task ended without a result")
        }
        return try result.get()
    }

    private final class Box<Value: Sendable>: Sendable {
        let outcome = Mutex<Result<Value, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
    }
}
