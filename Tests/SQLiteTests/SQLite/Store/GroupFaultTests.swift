import Synchronization
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The outcome of a group that is disturbed.
@Suite("Group commit under cancellation and faults", .timeLimit(.minutes(20))) struct GroupFaultTests: NumberStore {
    let scratch: DatabaseScratch

    init() throws { scratch = try Self.makeScratch() }

    // MARK: Cancelling

    @Test("A write that is cancelled while it waits never runs, and the others do")
    func cancelledWaiting() async throws {
        let store = try openStore()
        let runs = Counter()
        let tasks = try store.aloneHere { _ in
            let tasks = (0..<3).map { number in
                Task.immediateDetached {
                    try await store.write { connection in
                        runs.increase()
                        try insert(number)(connection)
                    }
                }
            }
            tasks[1].cancel()
            return tasks
        }
        #expect(await tasks[1].result.isCancellation)
        #expect(await tasks[0].result.isSuccess)
        #expect(await tasks[2].result.isSuccess)
        #expect(try committed() == [0, 2] && runs.value == 2)
    }

    @Test("A task that was cancelled beforehand writes nothing")
    func cancelledBeforehand() async throws {
        let store = try openStore()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.write(insert(1))
        }
        #expect(await task.result.isCancellation)
        #expect(try committed() == [])
    }

    @Test(
        "A write that is cancelled while it runs is undone, and the others are not",
        arguments: 0..<3, [Beacon.endlessQuery.text, Beacon.endlessInsert.text])
    func cancelledRunning(place: Int, sql: String) async throws {
        let beacon = Beacon()
        let store = try openStore { $0.connection.functions = [beacon.function] }
        var parts = (0..<3).map(insert)
        parts[place] = { connection in
            try connection.execute("INSERT INTO t VALUES (100)")
            try connection.execute(SQL(verbatim: sql))
        }
        let tasks = try store.enqueue(parts)
        await beacon.wait()
        tasks[place].cancel()
        for (index, task) in tasks.enumerated() {
            let result = await task.result
            #expect(result.isSuccess == (index != place))
            #expect(result.isCancellation == (index == place))
        }
        #expect(try committed() == (0..<3).filter { $0 != place })
        try await store.write(insert(50))
        #expect(try committed().contains(50))
    }

    @Test("A write that is cancelled after it is done reports its true outcome", arguments: 0..<2)
    func cancelledAfterwards(place: Int) async throws {
        let store = try openStore()
        let waiting = Mutex<[Task<Void, any Error>]>([])
        let parts: [Part<Void>] = [
            insert(0), insert(1),
            { connection in
                // Both have done their parts and wait for the commit.
                waiting.withLock { $0[place].cancel() }
                try insert(2)(connection)
            },
        ]
        let tasks = try store.aloneHere { _ in
            let tasks = parts.map { part in Task.immediateDetached { try await store.write(part) } }
            waiting.withLock { $0 = tasks }
            return tasks
        }
        var truth: [Int] = []
        for (number, task) in tasks.enumerated() where await task.result.isSuccess {
            truth.append(number)
        }
        #expect(try committed() == truth)
        #expect(truth.contains(1 - place) && truth.contains(2))
    }

    // MARK: Interrupting and closing

    /// The handler can interrupt at any instruction, including those of the engine's own BEGIN and COMMIT.
    @Test("After an interruption anywhere, every reported write is stored, once")
    func progress() async throws {
        try prepareTable("CREATE TABLE sum (n INTEGER)")
        let remaining = Atomic<Int>(.max)
        let store = try openStore {
            $0.connection.progress = ProgressHandler(every: 1) {
                remaining.subtract(1, ordering: .relaxed).newValue != 0
            }
        }
        var expected = 0
        for count in 1...150 {
            let parts = (0..<2).map { _ -> Part<Void> in
                { try $0.execute("INSERT INTO sum VALUES (1)") }
            }
            let tasks = try store.aloneHere { _ in
                remaining.store(count, ordering: .relaxed)
                return parts.map { part in Task.immediateDetached { try await store.write(part) } }
            }
            for task in tasks where await task.result.isSuccess { expected += 1 }
            remaining.store(.max, ordering: .relaxed)
            let sum = try scratch.open().value("SELECT count(*) FROM sum", as: Int.self)
            #expect(sum == expected, "given up at instruction \(count)")
            expected = sum ?? 0
        }
    }

    @Test("Closing waits for writes that have to run again")
    func closingWhileLost() async throws {
        try prepareTable(
            "CREATE TABLE child (a REFERENCES t (a) DEFERRABLE INITIALLY DEFERRED)")
        let store = try openStore()
        let parts: [Part<Void>] = [insert(1), { try $0.execute("INSERT INTO child VALUES (9)") }, insert(2)]
        let tasks = try store.aloneHere { _ in
            let tasks = parts.map { part in Task.immediateDetached { try await store.write(part) } }
            store.writer.queue.close {}
            return tasks
        }
        #expect(await tasks[0].result.isSuccess)
        #expect(await tasks[1].result.code == .constraint)
        #expect(await tasks[2].result.isSuccess)
        #expect(try committed() == [1, 2])
    }
}
