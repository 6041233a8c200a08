import Foundation
import Lockstep
import Synchronization
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("Versions on a server whose statements commit by themselves", .withServer) struct ServerStepwiseTests {
    private static let base = ServerScratch.up(
        "CREATE TYPE mood AS ENUM ('sad'); CREATE TABLE t (i bigint, m mood); INSERT INTO t SELECT generate_series(1, 9);"
    )
    private static func byItself(_ sql: String, down: String? = nil) -> String {
        ServerScratch.up("-- lockstep: no transaction\n\(sql)", down: down.map { "-- lockstep: no transaction\n\($0)" })
    }
    private static let whole = byItself(
        """
        CREATE INDEX CONCURRENTLY t_i ON t (i);
        ALTER TYPE mood ADD VALUE 'glad';
        UPDATE t SET m = 'glad' WHERE i = 1;
        REINDEX INDEX CONCURRENTLY t_i;
        CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "T u" ON public.t USING btree (i);
        DROP INDEX CONCURRENTLY t_i;
        VACUUM t;
        INSERT INTO t VALUES (10, 'sad');
        """,
        down:
            "DROP INDEX CONCURRENTLY \"T u\"; DELETE FROM t WHERE i = 10;\n-- lockstep: allow loss of table t"
    )

    private static func requireWhole(_ server: borrowing ServerConnection, _ comment: Comment? = nil) throws {
        #expect(try ServerScratch.recorded(server) == ["1", "2"], comment)
        #expect(try ServerScratch.invalid(server).isEmpty, comment)
        #expect(try ServerScratch.unfinished(server) == 0, comment)
        let state: String? = try server.value(
            """
            SELECT (SELECT string_agg(indexname, ',') FROM pg_indexes WHERE tablename = 't') || ' '
                || (SELECT count(*) FROM t) || ' ' || (SELECT count(*) FROM t WHERE m = 'glad')
            """)
        #expect(state == "T u 10 1", comment)
    }

    @Test("All statements run, and the version is recorded after them; so is its way down") func whole() throws {
        let server = try TestServer.connection()
        let migrator = ServerMigrator(try ServerScratch.set(Self.base, Self.whole))
        let report = try migrator.run(on: server)
        #expect(report.steps.map(\.statements) == [3, 8])
        try Self.requireWhole(server)
        let back = try migrator.run(.back(1), on: server)
        #expect(back.steps.map(\.statements) == [2] && back.notices.count == 1)
        #expect(try ServerScratch.recorded(server) == ["1"])
        #expect(try ServerScratch.unfinished(server) == 0)
        #expect(try server.value("SELECT count(*) FROM t") == 9)
    }

    @Test(
        "Ended before any of its statements, notes or commits, the next run continues and finishes"
    )
    func ended() throws {
        struct Stop: Error {}
        let shared = try TestServer.shared.get()
        let set = try ServerScratch.set(Self.base, Self.whole)
        var point = 0
        var isDone = false
        while !isDone {
            let server = try ServerConnection(shared.address())
            _ = try ServerMigrator(set).run(.version(MigrationVersion(1)), on: server)
            var passed = 0
            let migrator = ServerMigrator(set) { _ in
                defer { passed += 1 }
                if passed == point { throw Stop() }
            }
            do {
                _ = try migrator.run(on: server)
                isDone = true
            } catch is Stop {}
            #expect(try ServerScratch.recorded(server).count == (isDone ? 2 : 1))
            _ = try ServerMigrator(set).run(on: server)
            try Self.requireWhole(server, "ended at \(point)")
            point += 1
        }
        #expect(point == 11)
    }

    @Test(
        "What was run and not noted is not run again: an index that is there, one that is gone")
    func unnoted() throws {
        let server = try TestServer.connection()
        let set = try ServerScratch.set(Self.base, Self.whole)
        for (line, sql) in [(3, "CREATE INDEX t_i ON t (i)"), (8, "DROP INDEX t_i")] {
            struct Stop: Error {}
            let migrator = ServerMigrator(set) { event in
                guard event == .statement(line: line) else { return }
                throw Stop()
            }
            #expect(throws: Stop.self) { _ = try migrator.run(on: server) }
            try server.execute(ServerSQL(verbatim: sql))
        }
        _ = try ServerMigrator(set).run(on: server)
        try Self.requireWhole(server)
    }

    @Test(
        "A server process that dies while it builds an index leaves an invalid one, which the next run replaces",
        arguments: ["CREATE INDEX CONCURRENTLY t_x ON t (i)", "REINDEX TABLE CONCURRENTLY t"])
    func cutOff(_ sql: String) throws {
        let address = try TestServer.shared.get().address()
        let server = try ServerConnection(address)
        let reader = try ServerConnection(address)
        let set = try ServerScratch.set(
            ServerScratch.up(
                "CREATE TABLE t (i bigint); CREATE INDEX t_x\(sql.hasPrefix("C") ? "y" : "") ON t (i);"
            ),
            Self.byItself(sql + ";"))
        _ = try ServerMigrator(set).run(.version(MigrationVersion(1)), on: server)
        // It writes, and so the index waits for it.
        try reader.execute("BEGIN")
        try reader.execute("INSERT INTO t VALUES (1)")
        // On a thread of its own: the tests block those of tasks.
        let failure = Mutex<(any Error)?>(nil)
        let hasEnded = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            defer { hasEnded.signal() }
            do {
                _ = try ServerMigrator(set).run(on: ServerConnection(address))
            } catch {
                failure.withLock { $0 = error }
            }
        }
        var killed: Bool?
        while killed == nil {
            killed = try server.value(
                """
                SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event = 'virtualxid' AND query LIKE '%INDEX%CONCURRENTLY%'
                    AND pid <> pg_backend_pid()
                    AND EXISTS (SELECT FROM pg_index WHERE NOT indisvalid)
                """)
        }
        hasEnded.wait()
        let error = failure.withLock { $0 } as? LockstepError
        #expect(error?.code == .serverUnreachable)
        try reader.execute("COMMIT")
        #expect(try ServerScratch.invalid(server).count == 1)
        _ = try ServerMigrator(set).run(on: server)
        #expect(try ServerScratch.invalid(server).isEmpty)
        #expect(try ServerScratch.recorded(server) == ["1", "2"])
        let valid: Bool? = try server.value("SELECT indisvalid FROM pg_index WHERE indexrelid = 't_x'::regclass")
        #expect(valid == true)
    }

    @Test(
        "A unique index that fails leaves nothing of itself; mended, the version continues there"
    )
    func failure() throws {
        let server = try TestServer.connection()
        let set = try ServerScratch.set(
            Self.base,
            Self.byItself(
                "INSERT INTO t VALUES (1);\nCREATE UNIQUE INDEX CONCURRENTLY u ON t (i);"))
        let error = refused(.migrationFailed) { _ = try ServerMigrator(set).run(on: server) }
        #expect(error?.context.line == 4)
        #expect(try ServerScratch.invalid(server).isEmpty)
        #expect(try ServerScratch.unfinished(server) == 1)
        #expect(try server.value("SELECT count(*) FROM t") == 10)
        try server.execute("DELETE FROM t WHERE i = 1")
        _ = try ServerMigrator(set).run(on: server)
        #expect(try ServerScratch.recorded(server) == ["1", "2"])
        #expect(try server.value("SELECT count(*) FROM t") == 8)
    }

    @Test(
        "An index of that name that was there before is an error, and not taken for the version's"
    )
    func foreign() throws {
        let server = try TestServer.connection()
        let set = try ServerScratch.set(Self.base, Self.byItself("CREATE INDEX CONCURRENTLY x ON t (i);"))
        _ = try ServerMigrator(set).run(.version(MigrationVersion(1)), on: server)
        try server.execute("CREATE INDEX x ON t (m)")
        for _ in 0..<2 {
            refused(.migrationFailed) { _ = try ServerMigrator(set).run(on: server) }
        }
        #expect(try ServerScratch.recorded(server) == ["1"])
    }

    @Test("Meanwhile no other runner has its turn, and a lost claim ends the run")
    func claim() throws {
        let address = try TestServer.shared.get().address()
        let server = try ServerConnection(address)
        let other = try ServerConnection(address)
        let set = try ServerScratch.set(Self.base, Self.whole)
        var refusals = 0
        let migrator = ServerMigrator(set) { event in
            guard event == .statement(line: 3), refusals == 0 else { return }
            refusals += 1
            refused(.busy) {
                _ = try ServerMigrator(set, timeout: .zero).run(on: other)
            }
            // The holder of the claim.
            try other.execute(
                """
                SELECT pg_terminate_backend(pid, 10000) FROM pg_locks
                WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """)
        }
        refused(.serverUnreachable) { _ = try migrator.run(on: server) }
        #expect(refusals == 1)
        _ = try ServerMigrator(set).run(on: other)
        try Self.requireWhole(other)
    }

    @Test("A statement outside a transaction waits as long as the run may, whatever the role has set")
    func patience() throws {
        let address = try TestServer.shared.get().address()
        let other = try ServerConnection(address)
        try other.execute("ALTER DATABASE \(name: address.database) SET lock_timeout = '20ms'")
        let server = try ServerConnection(address)
        let set = try ServerScratch.set(
            Self.base, Self.byItself("CREATE INDEX CONCURRENTLY t_i ON t (i);"), Self.byItself("VACUUM t;"))
        _ = try ServerMigrator(set).run(.version(MigrationVersion(1)), on: server)
        // The index waits for every transaction that writes to the table.
        try other.execute("BEGIN")
        try other.execute("INSERT INTO t VALUES (11)")
        let (process, writer) = (server.processID, other.processID)
        Thread.detachNewThread {
            guard let watch = try? ServerConnection(address) else { return }
            while let isWaiting = try? watch.value(
                """
                SELECT coalesce(bool_or(wait_event_type = 'Lock' AND now() - query_start > '100 ms'), true)
                FROM pg_stat_activity WHERE pid = \(Int(process))::int4
                """, as: Bool.self), !isWaiting
            {}
            _ = try? watch.execute("SELECT pg_terminate_backend(\(Int(writer))::int4, 10000)")
        }
        var repeated = 0
        let report = try ServerMigrator(set).run(on: server) { progress in
            if progress.phase.name == JobProgress.Phase.waiting.name { repeated += 1 }
        }
        #expect(report.steps.map(\.version.description) == ["2", "3"] && repeated == 0)
        #expect(try server.value("SELECT current_setting('lock_timeout')", as: String.self) == "20ms")
    }

    @Test(
        "A version that is begun continues only with its file, is rolled back, or is given up")
    func begun() throws {
        let server = try TestServer.connection()
        func set(_ last: String, down: String = "DROP INDEX IF EXISTS t_i;") throws
            -> MigrationSet
        {
            let sql = "CREATE INDEX CONCURRENTLY t_i ON t (i);\n\(last)"
            return try ServerScratch.set(
                Self.base,
                ServerScratch.up("-- lockstep: no transaction\n\(sql)", down: down))
        }
        func begin() throws {
            refused(.migrationFailed) {
                _ = try ServerMigrator(set("SELECT 1/0;")).run(on: server)
            }
            #expect(try ServerScratch.unfinished(server) == 1)
        }
        try begin()
        refused(.migrationChanged) {
            _ = try ServerMigrator(set("SELECT 1;")).run(on: server)
        }
        _ = try ServerMigrator(set("SELECT 1/0;")).run(.back(1), on: server)
        #expect(try ServerScratch.unfinished(server) == 0)
        #expect(try ServerScratch.recorded(server) == ["1"])
        try begin()
        let one = try ServerMigrator.abandon(MigrationVersion(2), of: nil, on: server)
        #expect(one.version == MigrationVersion(2) && one.isUp)
        refused(.notFound) {
            try ServerMigrator.abandon(MigrationVersion(2), of: nil, on: server)
        }
        try server.execute("DROP INDEX t_i")
        _ = try ServerMigrator(set("SELECT 1;")).run(on: server)
        #expect(try ServerScratch.recorded(server) == ["1", "2"])
    }

    @Test("Statements for outside a transaction alone in their file need no directive")
    func alone() throws {
        let server = try TestServer.connection()
        let set = try ServerScratch.set(
            Self.base, ServerScratch.up("CREATE INDEX CONCURRENTLY t_i ON t (i); VACUUM t;"))
        #expect(try ServerMigrator(set).run(on: server).steps.count == 2)
    }

    @Test("A new value that its own transaction uses is explained")
    func newValue() throws {
        let server = try TestServer.connection()
        let set = try ServerScratch.set(
            Self.base,
            ServerScratch.up(
                "ALTER TYPE mood ADD VALUE 'x'; UPDATE t SET m = 'x';"))
        let error = refused(.migrationFailed) { _ = try ServerMigrator(set).run(on: server) }
        #expect(error?.hint?.contains("no transaction") == true)
    }

    @Test("Rows of the progress that Lockstep did not write are noticed")
    func forged() throws {
        let server = try TestServer.connection()
        let set = try ServerScratch.set(Self.base, Self.byItself("INSERT INTO t VALUES (10);\nSELECT 1/0;"))
        refused(.migrationFailed) { _ = try ServerMigrator(set).run(on: server) }
        for change in ["statements = -1", "version = '02'", "checksum_text = ''"] {
            try server.execute("BEGIN")
            try server.execute("UPDATE lockstep_unfinished SET \(verbatim: change)")
            refused(.tampered) { _ = try ServerMigrator.history(server) }
            try server.execute("ROLLBACK")
        }
        try server.execute("UPDATE lockstep_unfinished SET statements = 7")
        refused(.tampered) { _ = try ServerMigrator(set).run(on: server) }
    }
}
