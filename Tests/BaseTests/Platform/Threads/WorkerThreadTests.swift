import Synchronization
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The thread that runs a store's asynchronous calls.
@Suite("Worker threads", .timeLimit(.minutes(20)))
struct WorkerThreadTests {
    @Test("Jobs run one after another, in their order, on one thread that is not the caller's") func order() throws {
        let worker = WorkerThread()
        let seen = Mutex<(jobs: [Int], threads: Set<UInt>)>(([], []))
        let done = Latch()
        for job in 0..<1000 {
            try worker.submit {
                seen.withLock {
                    $0.jobs.append(job)
                    $0.threads.insert(ThreadIdentity.current)
                }
                if job == 999 { done.open() }
            }
        }
        done.wait()
        let (jobs, threads) = seen.withLock { $0 }
        #expect(jobs == Array(0..<1000))
        #expect(threads.count == 1 && !threads.contains(ThreadIdentity.current))
    }

    @Test("It takes jobs from many threads, and loses none")
    func manyThreads() async throws {
        let worker = WorkerThread()
        let ran = Counter()
        let threads = (0..<8).map { _ in
            TestThread { for _ in 0..<500 { try worker.submit { ran.increase() } } }
        }
        for thread in threads { try await thread.end() }
        let done = Latch()
        try worker.submit { done.open() }
        done.wait()
        #expect(ran.value == 4000)
    }

    @Test("Jobs submitted before its end are run, and then it ends")
    func end() throws {
        let (begun, mayGoOn, done) = (Gate(), Gate(), Latch())
        let ran = Counter()
        let token = Token()
        do {
            let worker = WorkerThread()
            try worker.submit {
                begun.open()
                mayGoOn.pass()
            }
            begun.pass()
            for _ in 0..<10 { try worker.submit { ran.increase() } }
            try worker.submit { [token] in
                withExtendedLifetime(token) {}
                done.open()
            }
        }
        mayGoOn.open()
        done.wait()
        #expect(ran.value == 10)
    }

    private final class Token: Sendable {}

    @Test("A job can submit another, and release the last reference to its worker") func fromWithin() throws {
        let done = Latch()
        let holder = Mutex<WorkerThread?>(WorkerThread())
        let first: WorkerThread.Job = {
            holder.withLock { worker in
                try? worker?.submit { done.open() }
                worker = nil
            }
        }
        try holder.withLock { $0 }?.submit(first)
        done.wait()
        #expect(holder.withLock { $0 } == nil)
    }
}
