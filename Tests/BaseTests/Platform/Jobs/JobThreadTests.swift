import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Threads of jobs", .timeLimit(.minutes(5)))
struct JobThreadTests {
    @TaskLocal private static var name = "none"

    @Test("Jobs that wait for each other all run, however few threads Swift has")
    func waiting() async throws {
        let count = 4 * Processors.count
        let begun = Barrier(count)
        let threads = try await withThrowingTaskGroup(of: UInt.self) { group in
            for _ in 0..<count {
                group.addTask {
                    try await JobThread.run {
                        begun.wait()
                        return ThreadIdentity.current
                    }
                }
            }
            return try await group.reduce(into: Set<UInt>()) { $0.insert($1) }
        }
        #expect(threads.count == count)
    }

    @Test("A job is part of its task: its values, its cancellation and its error")
    func task() async throws {
        let name = try await Self.$name.withValue("given") {
            try await JobThread.run { Self.name }
        }
        #expect(name == "given")
        let cancelled = Task {
            try await JobThread.run {
                withUnsafeCurrentTask { unsafe $0?.cancel() }
                return Task.isCancelled
            }
        }
        #expect(try await cancelled.value)
        await #expect(throws: Stop.self) { try await JobThread.run { throw Stop() } }
    }
}

/// Lets threads wait until all of them are there.
// Sendable by this proof: the count is touched only while the condition's lock is held.
private final class Barrier: @unchecked Sendable {
    private let changed = WaitCondition()
    private var missing: Int

    init(_ count: Int) { missing = count }

    func wait() {
        changed.locked {
            missing -= 1
            changed.broadcast()
            while missing > 0 { changed.wait() }
        }
    }
}
