import Lockstep
import Synchronization
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("Pools of connections to servers", .withServer)
struct ServerPoolTests {
    @Test("Many tasks share few connections, and each gets its turn")
    func shared() async throws {
        let pool = ServerPool(try TestServer.shared.get().address(), maximum: 3)
        try await pool.use { _ = try $0.execute("CREATE TABLE t (i bigint)") }
        let processes = try await withThrowingTaskGroup(of: Int32.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await pool.use { server in
                        try server.execute("INSERT INTO t VALUES (\(number))")
                        return server.processID
                    }
                }
            }
            return try await group.reduce(into: Set<Int32>()) { $0.insert($1) }
        }
        #expect(processes.count <= 3)
        #expect(
            try await pool.use { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 40)
    }

    @Test("A lost connection, and one left in a transaction, are replaced")
    func dropped() async throws {
        let pool = ServerPool(try TestServer.shared.get().address(), maximum: 1)
        let first = try await pool.use { $0.processID }
        await #expect(throws: LockstepError.self) {
            try await pool.use {
                _ = try $0.execute("SELECT pg_terminate_backend(pg_backend_pid())")
            }
        }
        let second = try await pool.use { $0.processID }
        #expect(first != second)
        await #expect(throws: LockstepError.self) {
            try await pool.use { _ = try $0.execute("BEGIN") }
        }
        let third = try await pool.use { $0.processID }
        #expect(third != second)
    }

    @Test("A task that is cancelled while it waits gets no connection, and loses none") func cancelled() async throws {
        let pool = ServerPool(try TestServer.shared.get().address(), maximum: 1)
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        let held = Atomic<Bool>(true)
        let holder = Task {
            try await pool.use { server in
                beginning.yield()
                while held.load(ordering: .acquiring) { _ = try server.execute("SELECT 1") }
            }
        }
        for await _ in begun { break }
        let waiter = Task { try await pool.use { $0.processID } }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        held.store(false, ordering: .releasing)
        try await holder.value
        #expect(try await pool.use { try $0.value("SELECT 1", as: Int.self) } == 1)
    }

    @Test("A closed pool gives no connections")
    func closed() async throws {
        let pool = ServerPool(try TestServer.shared.get().address())
        try await pool.use { _ = try $0.execute("SELECT 1") }
        pool.close()
        await #expect(throws: LockstepError.self) { try await pool.use { _ in } }
    }
}
