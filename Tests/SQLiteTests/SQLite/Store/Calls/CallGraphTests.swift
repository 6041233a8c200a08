import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Calls of several stores that would wait for each other.
@Suite("Circles of calls", .timeLimit(.minutes(20)))
struct CallGraphTests {
    private func store(readers: Int = 1) throws -> Store {
        var options = StoreOptions()
        options.readers = readers
        let store = try Store.temporary(options: options)
        try store.blocking.write { try $0.execute("CREATE TABLE t (a)") }
        return store
    }

    /// Calls `second` from inside of `first`, on two threads in opposite orders, both of which are inside of their
    /// first call before one makes its second.
    private func cross(
        _ first: @escaping @Sendable (_ inner: () throws -> Void) throws -> Void,
        _ second: @escaping @Sendable (_ inner: () throws -> Void) throws -> Void
    ) async throws -> [LockstepError] {
        let errors = Errors()
        let (one, two) = (Gate(), Gate())
        let threads = [
            TestThread {
                do {
                    try first {
                        one.open(); two.pass(); try second {}
                    }
                } catch { errors.add(error) }
            },
            TestThread {
                do {
                    try second {
                        two.open(); one.pass(); try first {}
                    }
                } catch { errors.add(error) }
            },
        ]
        for thread in threads { try await thread.end() }
        return errors.all
    }

    // Sendable by this proof: `errors` is touched only while the lock is held.
    private final class Errors: @unchecked Sendable {
        private let lock = WaitCondition()
        private var errors: [LockstepError] = []
        var all: [LockstepError] { lock.locked { errors } }

        func add(_ error: any Error) {
            guard let error = error as? LockstepError else { return }
            lock.locked { errors.append(error) }
        }
    }

    @Test("Writes to two stores in opposite orders: one is refused, and names both calls") func writes() async throws {
        let (a, b) = (try store(), try store())
        let errors = try await cross(
            { inner in try a.blocking.write { _ in try inner() } },
            { inner in try b.blocking.withoutTransaction { _ in try inner() } })
        #expect(errors.map(\.code) == [.misuse])
        let message = errors.first?.message ?? ""
        #expect(message.contains("`write`") && message.contains("`withoutTransaction`"), "\(message)")
        // Nothing is held any more, and the graph is empty.
        for store in [a, b] { try await store.write { try $0.execute("INSERT INTO t VALUES (1)") } }
    }

    @Test("Reads of two stores wait for each other only if no reader is left", arguments: [1, 2])
    func reads(readers: Int) async throws {
        let (a, b) = (try store(readers: readers), try store(readers: readers))
        let errors = try await cross(
            { inner in try a.blocking.read { _ in try inner() } },
            { inner in try b.blocking.read { _ in try inner() } })
        #expect(errors.map(\.code) == (readers == 1 ? [.misuse] : []))
    }

    @Test(
        "A store that closes waits for its calls, and is refused where one of them waits for the closer"
    )
    func closing() async throws {
        let (a, b) = (try store(), try store())
        let (begun, mayClose) = (Gate(), Gate())
        let closer = TestThread {
            try a.blocking.write { _ in
                begun.open()
                mayClose.pass()
                try b.blocking.close()
            }
        }
        let writer = TestThread {
            try b.blocking.write { _ in
                begun.pass()
                mayClose.open()
                try a.blocking.write { _ in }
            }
        }
        var codes: [LockstepError.Code] = []
        for thread in [closer, writer] {
            do { try await thread.end() } catch let error as LockstepError {
                codes.append(error.code)
            }
        }
        #expect(codes == [.misuse])
    }

    @Test("Nested calls of several stores in one order all run")
    func ordered() async throws {
        let stores = [try store(), try store(), try store()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    try await stores[0].write { _ in
                        try stores[1].blocking.write { _ in
                            try stores[2].blocking.write {
                                try $0.execute("INSERT INTO t VALUES (1)")
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try await stores[2].read {
            try $0.value("SELECT count(*) FROM t", as: Int.self)
        }
        #expect(count == 16)
    }

    @Test("A function that traces statements does not wait for the call that it is called by") func trace() throws {
        let holder = Holder()
        var options = StoreOptions()
        options.connection.trace = { event in
            guard event.sql == "COMMIT", let store = holder.store else { return }
            do {
                try store.blocking.write { _ in }
            } catch { holder.codes.append((error as? LockstepError)?.code) }
        }
        let store = try Store.temporary(options: options)
        holder.store = store
        try store.blocking.write { try $0.execute("CREATE TABLE t (a)") }
        holder.store = nil
        #expect(holder.codes == [.misuse])
    }

    // Safe by this proof: only the thread of the test uses it.
    private final class Holder: @unchecked Sendable {
        var store: Store?
        var codes: [LockstepError.Code?] = []
    }
}
