import Lockstep
import Synchronization
import TestServers
import TestSupport
import Testing

@testable import LockstepPostgres

@Suite("Several runners, dead runners and waiting runners on a server", .withServer) struct ServerRunnersTests {
    private static let scripts = [
        ServerScratch.up(
            """
            CREATE TABLE a (i bigint PRIMARY KEY);
            INSERT INTO a SELECT generate_series(1, 50);
            CREATE INDEX a_i ON a (i);
            """),
        ServerScratch.up(
            "CREATE TABLE b (i bigint REFERENCES a);\nINSERT INTO b SELECT i FROM a;"),
        ServerScratch.up("ALTER TABLE a ADD COLUMN n int;\nUPDATE a SET n = 1;\nCREATE TABLE c ();"),
    ]

    @Test(
        "Of eight runners at once on a fresh database, one applies each version, and none fails",
        arguments: 1...(Torture.isLong ? 10 : 2))
    func eight(_ round: Int) async throws {
        try await Self.runEight(at: TestServer.shared.get().address())
    }

    @Test(
        "The same through a pooler in transaction mode, where each transaction has another connection",
        arguments: 1...(Torture.isLong ? 10 : 2))
    func pooled(_ round: Int) async throws {
        guard let pooler = try TestPooler(before: TestServer.shared.get()) else { return }
        let address = try pooler.address()
        try await Self.runEight(at: address)
        // Nothing is left of their locks and claims.
        let direct = try ServerConnection(pooler.direct(address))
        let locks: Int? = try direct.value(
            """
            SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """)
        #expect(locks == 0)
    }

    private static let byItself = """
        -- lockstep: up
        -- lockstep: no transaction
        CREATE INDEX CONCURRENTLY a_n ON a (n);
        INSERT INTO a VALUES (51, 1);
        """

    private static func runEight(at address: ServerAddress) async throws {
        let set = try ServerScratch.set(scripts + [byItself])
        let pool = ServerPool(address, maximum: 8)
        let applied = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await pool.use {
                        try ServerMigrator(set).run(on: $0).steps.map(\.version.description)
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(applied.sorted() == ["1", "2", "3", "4"])
        #expect(try await pool.use { try ServerScratch.recorded($0) } == ["1", "2", "3", "4"])
        let rows: Int? = try await pool.use { try $0.value("SELECT count(*) FROM a") }
        #expect(rows == 51)
    }

    /// Whether the schema is that of the recorded versions.
    private static func isTorn(_ server: borrowing ServerConnection) throws -> Bool {
        let recorded = try ServerScratch.recorded(server).count
        let tables = try ServerScratch.tables(server)
        let hasColumn: Bool? = try server.value(
            "SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('public.a') AND attname = 'n')")
        let expected: [[String]] = [[], ["a"], ["a", "b"], ["a", "b", "c"]]
        return tables != expected[recorded] || hasColumn != (recorded == 3)
    }

    private struct Stop: Error {}

    @Test(
        "A runner that dies before any statement, record or commit leaves whole versions, and the next one finishes"
    )
    func killed() throws {
        let shared = try TestServer.shared.get()
        let set = try ServerScratch.set(Self.scripts)
        let points = try Self.points(set, shared)
        #expect(points == 14)
        for point in 0..<points {
            let address = try shared.address()
            let killer = try ServerConnection(address)
            let victim = try ServerConnection(address)
            let process = Int(victim.processID)
            var passed = 0
            let migrator = ServerMigrator(set) { _ in
                defer { passed += 1 }
                guard passed == point else { return }
                // As the server sees a dead runner: its connection is gone.
                try killer.execute("SELECT pg_terminate_backend(\(process)::int4, 10000)")
            }
            #expect(throws: LockstepError.self) { _ = try migrator.run(on: victim) }
            #expect(try !Self.isTorn(killer), "killed at \(point)")
            _ = try ServerMigrator(set).run(on: killer)
            #expect(try !Self.isTorn(killer) && ServerScratch.recorded(killer).count == 3)
        }
    }

    private static func points(_ set: MigrationSet, _ shared: TestServer) throws -> Int {
        let server = try ServerConnection(shared.address())
        var count = 0
        _ = try ServerMigrator(set) { _ in count += 1 }.run(on: server)
        return count
    }

    @Test("Control: a record in a transaction of its own is found to be torn")
    func control() throws {
        let address = try TestServer.shared.get().address()
        let server = try ServerConnection(address)
        let set = try ServerScratch.set(Self.scripts)
        _ = try ServerMigrator(set).run(.version(MigrationVersion(1)), on: server)
        // The version commits, and the runner dies before it records it.
        try server.transaction { server in
            for statement in try StatementCutter.statements(set.files[1].up.text) {
                try server.execute(ServerSQL(verbatim: statement.sql))
            }
        }
        #expect(try Self.isTorn(server))
    }

    @Test(
        "A statement that waits for a lock gives way after a second, and the version begins again until it gets it"
    )
    func patience() throws {
        let address = try TestServer.shared.get().address()
        let server = try ServerConnection(address)
        let reader = try ServerConnection(address)
        let set = try ServerScratch.set(Self.scripts)
        _ = try ServerMigrator(set).run(.version(MigrationVersion(2)), on: server)
        try reader.execute("BEGIN")
        try reader.execute("SELECT count(*) FROM a")
        var waits = 0
        // It holds no lock while it pauses: others go on.
        let error = refused(.busy) {
            _ = try ServerMigrator(set, timeout: .milliseconds(1)).run(on: server) { _ in }
        }
        let isOpen = server.isInTransaction
        #expect(error?.hint != nil && !isOpen)
        let report = try ServerMigrator(set).run(on: server) { progress in
            guard progress.phase.name == JobProgress.Phase.waiting.name else { return }
            waits += 1
            if waits == 2 { try reader.execute("COMMIT") }
        }
        #expect(waits == 2 && report.steps.map(\.version.description) == ["3"])
        #expect(try !Self.isTorn(server))
    }

    @Test(
        "An error from the progress closure stops the run between two statements, and leaves nothing of the version"
    )
    func stopped() throws {
        let server = try TestServer.connection()
        let set = try ServerScratch.set(Self.scripts)
        var statements = 0
        #expect(throws: Stop.self) {
            _ = try ServerMigrator(set).run(on: server) { _ in
                statements += 1
                if statements == 5 { throw Stop() }
            }
        }
        #expect(try ServerScratch.recorded(server) == ["1"])
        #expect(try !Self.isTorn(server))
    }
}
