import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Two processes that start to migrate the same file at once: both complete, and each migration is applied once.
@Suite("Two runners at once", .enabled(if: FaultyWorker.isAble, "not Linux"))
struct TwoRunnersTests {
    @Test(
        "On a fresh file, on a half-migrated one, and in the middle of a backfill",
        arguments: [0, 5, 12])
    func together(applied: Int) async throws {
        // Each row adds to itself, so a batch that ran twice would show.
        let scripts =
            (1...12).map {
                Scratch.up("CREATE TABLE t\($0) (id INTEGER PRIMARY KEY, n);\nINSERT INTO t\($0) (n) VALUES (1);")
            } + [
                Scratch.up(
                    """
                    INSERT INTO t1 (n)
                        WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 60)
                        SELECT 1 FROM c;
                    -- lockstep: backfill t1 batch=4
                    UPDATE t1 SET n = n + 1000 WHERE id BETWEEN :first AND :last;
                    """)
            ]
        let database = try DatabaseScratch()
        let victim = try MigrationVictim(database, migratedBy: scripts)
        try Self.migrate(database, victim, applied)
        async let one = victim.run("plain")
        async let other = victim.run("plain")
        for run in try await [one, other] { #expect(run.outcome == .succeeded, "\(run.reported)") }
        let connection = try database.open()
        #expect(try Ledger.entries(connection).map(\.version.description) == (1...13).map { "\($0)" })
        #expect(try MigrationProgress.all(connection).isEmpty)
        for number in 2...12 {
            #expect(try Scratch.int(connection, "SELECT count(*) FROM t\(number)") == 1)
        }
        #expect(try Scratch.int(connection, "SELECT count(*) FROM t1 WHERE n = 1001") == 61)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM t1") == 61)
        _ = consume connection
        let report = try await JobThread.run {
            try Verification(database.path, sets: [victim.set]).run(key: database.key())
        }
        #expect(report.isClean, "\(report)")
    }

    /// Migrates a new database by the first versions. By 12, the next one is in the middle of its backfill.
    private static func migrate(_ database: DatabaseScratch, _ victim: MigrationVictim, _ applied: Int) throws {
        let connection = try database.create()
        if applied == 12 {
            var batches = 0
            let stopping = try Migrator(victim.set) { event in
                guard case .advanced = event else { return }
                batches += 1
                if batches == 4 { throw Stop() }
            }
            #expect(throws: Stop.self) { _ = try stopping.run(on: connection) }
        } else {
            _ = try Migrator(victim.set).run(.version(MigrationVersion(UInt64(applied))), on: connection)
        }
        #expect(try Ledger.entries(connection).count == applied)
    }
}
