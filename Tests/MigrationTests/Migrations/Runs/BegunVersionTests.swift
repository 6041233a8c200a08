import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Every version that was begun can be ended: by a corrected file, or by giving it up.
@Suite("Versions that were begun")
struct BegunVersionTests {
    private struct Stop: Error {}

    private static let create = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, price TEXT, cents INTEGER CHECK (cents >= 0));
        WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 100)
        INSERT INTO t SELECT i, CASE i WHEN 77 THEN '-3' ELSE '' || i END, NULL FROM c;
        """
    private static let fill = """
        CREATE TABLE made (x);
        -- lockstep: backfill t batch=10
        UPDATE t SET cents = price * 100 WHERE id BETWEEN :first AND :last;
        CREATE INDEX t_cents ON t (cents);
        """

    private func set(_ second: String, down: String? = nil) throws -> MigrationSet {
        try Scratch.set(Scratch.up(Self.create), Scratch.up(second, down: down))
    }

    /// A database in which the eighth batch of version 2 has failed.
    private func failed(_ connection: borrowing Connection) throws {
        let error = #expect(throws: LockstepError.self) {
            _ = try Migrator(set(Self.fill)).run(on: connection)
        }
        #expect(error?.code == .constraint && error?.hint?.contains("earlier batches stay") == true)
        #expect(try Scratch.int(connection, "SELECT count(cents) FROM t") == 70)
    }

    private func fixed(_ from: String, _ to: String) -> String {
        Self.fill.replacing(from, with: to)
    }

    @Test(
        "A corrected statement continues after the batches that are done",
        arguments: ["max(0, price * 100)", "max(0, price * 100) /* not below zero */"])
    func statement(expression: String) throws {
        let connection = try Connection.inMemory()
        try failed(connection)
        // Batches that are done do not run again.
        try connection.execute("UPDATE t SET cents = 5 WHERE id = 1")
        let report = try Migrator(set(fixed("price * 100", expression))).run(on: connection)
        #expect(report.steps.map(\.version) == [MigrationVersion(2)])
        #expect(report.notices.map(\.code) == [.migrationUnfinished])
        #expect(try Scratch.int(connection, "SELECT cents FROM t WHERE id = 1") == 5)
        #expect(try Scratch.int(connection, "SELECT cents FROM t WHERE id = 77") == 0)
        #expect(try Scratch.int(connection, "SELECT count(cents) FROM t") == 100)
        #expect(try !EngineTables.exists(EngineTables.progress, connection))
        // The ledger has the file that ended it.
        #expect(try Migrator(set(fixed("price * 100", expression))).plan(.latest, on: connection).findings.isEmpty)
    }

    @Test("The rows of the batch may be corrected instead, and a batch size, and what follows") func rows() throws {
        let connection = try Connection.inMemory()
        try failed(connection)
        try connection.execute("UPDATE t SET price = '3' WHERE id = 77")
        let script = fixed("batch=10", "batch=3").replacing("t_cents", with: "t_hundredths")
        _ = try Migrator(set(script)).run(on: connection)
        #expect(try Scratch.int(connection, "SELECT count(cents) FROM t") == 100)
        let made = "SELECT count(*) FROM sqlite_schema WHERE name = 't_hundredths'"
        #expect(try Scratch.int(connection, made) == 1)
    }

    @Test(
        "A file without the rest ends the version with what has run, unless a backfill has begun",
        arguments: ["CREATE TABLE made (x);", "CREATE TABLE made (x);\nCREATE TABLE more (y);"])
    func shorter(script: String) throws {
        // The backfill has begun: a file without it is not a continuation.
        let connection = try Connection.inMemory()
        try failed(connection)
        Refusal.expect(.migrationChanged) { _ = try Migrator(set(script)).run(on: connection) }

        // Stopped before its first batch, it is.
        let other = try Connection.inMemory()
        let stopping = Migrator(try set(Self.fill)) { event in
            if case .advanced = event { throw Stop() }
        }
        #expect(throws: Stop.self) { _ = try stopping.run(on: other) }
        if script.contains("more") {
            // The first transaction has another statement.
            Refusal.expect(.migrationChanged) { _ = try Migrator(set(script)).run(on: other) }
        } else {
            _ = try Migrator(set(script)).run(on: other)
            #expect(try Ledger.entries(other).count == 2)
            #expect(try Scratch.int(other, "SELECT count(cents) FROM t") == 0)
            #expect(try !EngineTables.exists(EngineTables.progress, other))
        }
    }

    @Test(
        "A file that changed in what has run is refused by plan and by the run, and nothing changes",
        arguments: [
            ("made (x)", "made (y)"), ("CREATE TABLE made (x);", ""), ("backfill t", "backfill made"),
            ("CREATE TABLE made", "CREATE TABLE other (x);\nCREATE TABLE made"),
        ])
    func changed(from: String, to: String) throws {
        let connection = try Connection.inMemory()
        try failed(connection)
        let before = try MigrationProgress.all(connection)
        let changed = Migrator(try set(fixed(from, to)))
        #expect(try changed.plan(.latest, on: connection).findings.contains(where: \.isFatal))
        let error = #expect(throws: LockstepError.self) { _ = try changed.run(on: connection) }
        #expect(error?.code == .migrationChanged)
        #expect(error?.hint?.contains("UnfinishedMigration.abandon") == true)
        #expect(try MigrationProgress.all(connection) == before)
        #expect(try Scratch.int(connection, "SELECT count(cents) FROM t") == 70)
    }

    @Test("A way down that a corrected file gains undoes the begun version")
    func wayDown() throws {
        let connection = try Connection.inMemory()
        try failed(connection)
        let down = "DROP INDEX IF EXISTS t_cents;\nDROP TABLE made;\nUPDATE t SET cents = NULL;"
        Refusal.expect(.irreversible) {
            _ = try Migrator(set(Self.fill)).run(.back(1), on: connection)
        }
        let changed = try set(fixed("made (x)", "made (y)"), down: down)
        Refusal.expect(.migrationChanged) {
            _ = try Migrator(changed).run(.back(1), on: connection)
        }
        let reversible = try set(Self.fill, down: down)
        _ = try Migrator(reversible).run(.back(1), on: connection)
        #expect(try Scratch.int(connection, "SELECT count(cents) FROM t") == 0)
        #expect(try MigrationProgress.all(connection).isEmpty)
    }

    @Test("A begun version is previewed from where it continues")
    func preview() throws {
        let connection = try Connection.inMemory()
        try failed(connection)
        let preview = try Migrator(set(fixed("price * 100", "abs(price)"))).preview(on: connection)
        #expect(!preview.isBlocked, "\(preview.lint) \(preview.planFindings)")
        #expect(preview.steps.map { $0.statements.map(\.line) } == [[4, 5]])
    }

    // MARK: Scripts without a transaction

    private static let bare = """
        -- lockstep: no transaction
        CREATE TABLE q (x); CREATE TABLE q2 (x);
        INSERT INTO q SELECT CASE WHEN count(*) = 0 THEN NULL ELSE 1 END FROM q2;
        UPDATE q SET x = abs(-9223372036854775807 - (SELECT count(*) FROM t WHERE id <= 1));
        INSERT INTO q2 VALUES (7);
        """

    @Test("A corrected script without a transaction continues with the statement that failed")
    func bareScript() throws {
        let connection = try Connection.inMemory()
        // Only with rows in the table does it fail: the trial on an empty copy cannot see it.
        let error = #expect(throws: LockstepError.self) {
            _ = try Migrator(set(Self.bare)).run(on: connection)
        }
        #expect(
            error?.code == .migrationFailed && error?.message.contains(":5:") == true, "\(String(describing: error))")
        #expect(error?.hint?.contains("earlier ones stay done") == true)
        let fixed =
            "-- a comment\n"
            + Self.bare.replacing(" - (SELECT count(*) FROM t WHERE id <= 1)", with: "")
            .replacing("CREATE TABLE q2", with: "\n\n  -- the second\n  CREATE TABLE q2")
        let report = try Migrator(set(fixed)).run(on: connection)
        #expect(report.steps.map(\.statements) == [2])
        #expect(try Scratch.int(connection, "SELECT count(*) FROM q") == 1)
        #expect(try Scratch.int(connection, "SELECT x FROM q2") == 7)
    }

    @Test("Stopped at any event, then changed after what has run: every statement runs once") func everyStop() throws {
        let first = "INSERT INTO log VALUES ('a');\nINSERT INTO log VALUES ('b');"
        let last = "INSERT INTO log VALUES ('c');"
        let batches = """
            -- lockstep: backfill t batch=40
            INSERT INTO log SELECT 'batch' FROM t WHERE id BETWEEN :first AND :last LIMIT 1;
            """
        let scripts = [
            "-- lockstep: no transaction\nCREATE TABLE log (x);\n\(first)\n\(last)",
            "CREATE TABLE log (x);\n\(batches)\n\(last)\n\(batches)\n\(last)",
            "-- lockstep: no transaction\nCREATE TABLE log (x);\n\(batches)\n\(first)\n\(last)",
        ]
        for script in scripts {
            var event = 0
            while true {
                let connection = try Connection.inMemory()
                _ = try Migrator(set(script)).run(.version(MigrationVersion(1)), on: connection)
                var count = 0
                let stopping = Migrator(try set(script)) { _ in
                    if count == event { throw Stop() }
                    count += 1
                }
                do {
                    _ = try stopping.run(on: connection)
                    Issue.record("the run ends before the stop at event \(event)")
                    break
                } catch is Stop {}
                // An applied version no longer changes.
                guard try Ledger.entries(connection).count == 1 else { break }
                let changed = "-- lockstep: allow loss of table t\n" + script + "\nINSERT INTO log VALUES ('new');"
                _ = try Migrator(set(changed)).run(on: connection)
                let found = try connection.query("SELECT x FROM log ORDER BY rowid") { row in
                    try row[0] as String
                }
                let fresh = try Connection.inMemory()
                _ = try Migrator(set(changed)).run(on: fresh)
                let expected = try fresh.query("SELECT x FROM log ORDER BY rowid") { row in
                    try row[0] as String
                }
                #expect(found == expected, "stopped at event \(event)")
                event += 1
            }
            #expect(event > 8)
        }
    }

    @Test(
        "What cannot work is refused before the first part of it commits",
        arguments: [
            (
                "-- lockstep: no transaction\nCREATE TABLE q (x);\nCREATE TABEL r (x);",
                LockstepError.Code.migrationFailed
            ),
            ("-- lockstep: no transaction\nCREATE TABLE q (x);\nDROP TABLE t;", .rowsLost),
            (
                "CREATE TABLE q (x);\n" + fill.replacing("t_cents ON t (cents)", with: "t_cents ON t (dollars)"),
                .migrationFailed
            ),
            (fill.replacing("SET cents", with: "SET dollars"), .sqlFailed),
            (fill + "\n-- lockstep: protect t.nope dataset=d", .keyUnavailable),
        ])
    func refusedAtOnce(script: String, code: LockstepError.Code) throws {
        let connection = try Connection.inMemory()
        Refusal.expect(code) { _ = try Migrator(set(script)).run(on: connection) }
        #expect(try MigrationProgress.all(connection).isEmpty)
        #expect(try Scratch.schema(connection).count == 1)
        #expect(try Ledger.entries(connection).count == 1)
        let preview = try Migrator(set(script)).preview(on: connection)
        #expect(code == .keyUnavailable || preview.isBlocked)
    }

    @Test("What only an empty copy, or one without the program's functions, refuses runs") func copyOnly() throws {
        let connection = try Connection.inMemory()
        try connection.add(
            SQLFunction("twice", argumentCount: 1) { arguments in
                guard case .integer(let number) = try arguments[0] else { return .null }
                return .integer(2 * number)
            })
        let script = """
            -- lockstep: no transaction
            CREATE TABLE best (id INTEGER NOT NULL);
            INSERT INTO best SELECT max(id) FROM t;
            CREATE TABLE ref (t REFERENCES t);
            INSERT INTO ref VALUES (1);
            UPDATE t SET cents = twice(id);
            """
        _ = try Migrator(set(script)).run(.version(MigrationVersion(1)), on: connection)
        #expect(try !Migrator(set(script)).preview(on: connection).isBlocked)
        _ = try Migrator(set(script)).run(on: connection)
        #expect(try Scratch.int(connection, "SELECT sum(cents) FROM t") == 10_100)
        #expect(try Scratch.int(connection, "SELECT id FROM best") == 100)
    }
}
