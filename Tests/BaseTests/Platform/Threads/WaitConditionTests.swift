import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The means by which threads wait for each other.
@Suite("Conditions, monitors and latches", .timeLimit(.minutes(20)))
struct WaitConditionTests {
    // Sendable by this proof: `number` is touched only while the lock is held.
    private final class Shared: @unchecked Sendable {
        let changed = WaitCondition()
        var number = 0
    }

    @Test("Only one thread at a time holds the lock")
    func exclusion() async throws {
        let shared = Shared()
        let threads = (0..<4).map { _ in
            TestThread { for _ in 0..<5000 { shared.changed.locked { shared.number += 1 } } }
        }
        for thread in threads { try await thread.end() }
        #expect(shared.number == 20_000)
    }

    @Test("An error leaves the lock open")
    func throwing() {
        let shared = Shared()
        #expect(throws: Stop.self) { try shared.changed.locked { throw Stop() } }
        #expect(shared.changed.locked { true })
    }

    @Test("Two threads that wake each other take turns")
    func turns() async throws {
        let shared = Shared()
        let threads = (0..<2).map { parity in
            TestThread {
                for _ in 0..<500 {
                    shared.changed.locked {
                        while shared.number % 2 != parity { shared.changed.wait() }
                        shared.number += 1
                    }
                    shared.changed.signal()
                }
            }
        }
        for thread in threads { try await thread.end() }
        #expect(shared.number == 1000)
    }

    @Test("A thread waits for the state of a monitor, and changes it before any other thread can")
    func monitor() async throws {
        let tokens = Monitor(0)
        let threads = (0..<4).map { _ in
            TestThread {
                for _ in 0..<500 { tokens.wait { $0 > 0 ? ($0 -= 1) : nil } }
            }
        }
        for _ in 0..<2000 {
            tokens.locked { $0 += 1 }
            tokens.signal()
        }
        for thread in threads { try await thread.end() }
        #expect(tokens.locked { $0 } == 0)
    }

    @Test("A latch lets through threads that waited before it opened, and those that come later")
    func latch() async throws {
        let latch = Latch()
        let before = TestThread { latch.wait() }
        latch.open()
        latch.wait()
        latch.open()
        latch.wait()
        try await before.end()
    }

    @Test("A latch lets through all waiting threads")
    func latchForMany() async throws {
        let latch = Latch()
        let arrived = Gate()
        let waiting = (0..<8).map { _ in
            TestThread {
                arrived.open()
                latch.wait()
            }
        }
        for _ in 0..<8 { arrived.pass() }
        latch.open()
        for thread in waiting { try await thread.end() }
    }
}
