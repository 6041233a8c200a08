import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Stops a run at any point.

@Suite("Backfills")
struct BackfillTests {
    private static let update = """
        ALTER TABLE t ADD COLUMN doubled INTEGER;
        -- lockstep: backfill t batch=10
        UPDATE t SET doubled = 2 * n WHERE rowid BETWEEN :first AND :last;
        CREATE INDEX t_doubled ON t (doubled);
        """

    /// A table of `rows` rows at version 1, and a set with `script` as version 2.
    private func prepared(
        rows: Int, _ connection: borrowing Connection, _ script: String = update,
        down: String? = "DROP INDEX t_doubled;\nALTER TABLE t DROP COLUMN doubled;"
    ) throws -> MigrationSet {
        let create = Scratch.up("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER);")
        let set = try Scratch.set([create, Scratch.up(script, down: down)])
        _ = try Migrator(set).run(.version(MigrationVersion(1)), on: connection)
        for number in 0..<rows { try connection.execute("INSERT INTO t (n) VALUES (?)", number) }
        return set
    }

    private func right(_ connection: borrowing Connection) throws -> Int? {
        try Scratch.int(connection, "SELECT count(*) FROM t WHERE doubled = 2 * n")
    }

    @Test(
        "Every row is done, whatever the size of the last batch", arguments: [0, 1, 9, 10, 11, 100])
    func sizes(rows: Int) throws {
        let connection = try Connection.inMemory()
        let set = try prepared(rows: rows, connection)
        var batches: [Int] = []
        let report = try Migrator(set).run(on: connection) { progress in
            // What follows a batch is reported with its rows.
            guard progress.unit == .rows, progress.done != batches.last else { return }
            batches.append(progress.done)
            #expect(progress.step == "t" && progress.total == rows)
        }
        #expect(report.steps.count == 1)
        #expect(batches == (0..<((rows + 9) / 10)).map { min(($0 + 1) * 10, rows) })
        #expect(try right(connection) == rows)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM pragma_index_list('t')") == 1)
        #expect(try MigrationProgress.all(connection).isEmpty)
        #expect(try !EngineTables.exists(EngineTables.progress, connection))
        #expect(try Ledger.entries(connection).count == 2)
    }

    @Test("Stopped at any event, the next run continues after the last batch and repeats none") func resuming() throws {
        var event = 0
        while true {
            let connection = try Connection.inMemory()
            // Each row adds to itself, so a batch that ran twice would show.
            let script = """
                -- lockstep: backfill t batch=7
                UPDATE t SET n = n + 1000 WHERE id BETWEEN :first AND :last;
                """
            let set = try prepared(rows: 30, connection, script)
            var count = 0
            let stopping = Migrator(set) { _ in
                if count == event { throw Stop() }
                count += 1
            }
            do {
                _ = try stopping.run(on: connection)
                #expect(event > 10)
                return
            } catch is Stop {
                let begun = try MigrationProgress.all(connection)
                let entries = try Ledger.entries(connection).count
                #expect(begun.count <= 1 && entries >= 1)
                let plan = try Migrator(set).plan(.latest, on: connection)
                #expect(plan.steps.count == (entries == 1 ? 1 : 0))
            }
            _ = try Migrator(set).run(on: connection)
            #expect(try Scratch.int(connection, "SELECT sum(n - 1000) FROM t") == 435)
            #expect(try Ledger.entries(connection).count == 2)
            #expect(try !EngineTables.exists(EngineTables.progress, connection))
            event += 1
        }
    }

    /// Stops in the middle of the backfill.
    private func begun(_ connection: borrowing Connection) throws -> MigrationSet {
        let set = try prepared(rows: 50, connection)
        let stopping = Migrator(set) { event in
            if case .backfilled(_, 30, _) = event { throw Stop() }
        }
        #expect(throws: Stop.self) { _ = try stopping.run(on: connection) }
        #expect(try right(connection) == 20)
        return set
    }

    @Test("A begun backfill can be rolled back, by the way down of the file that began it") func abandoning() throws {
        let connection = try Connection.inMemory()
        let set = try begun(connection)
        // Its index does not exist yet, so this way down does not fit.
        Refusal.expect(.migrationFailed) { _ = try Migrator(set).run(.back(1), on: connection) }
        #expect(try MigrationProgress.all(connection).count == 1)

        let other = try Connection.inMemory()
        let down = "DROP INDEX IF EXISTS t_doubled;\nALTER TABLE t DROP COLUMN doubled;"
        let kinder = try prepared(rows: 50, other, Self.update, down: down)
        let stopping = Migrator(kinder) { event in
            if case .backfilled = event { throw Stop() }
        }
        #expect(throws: Stop.self) { _ = try stopping.run(on: other) }
        let report = try Migrator(kinder).run(.back(1), on: other)
        #expect(report.steps.map(\.isUp) == [false])
        #expect(try Scratch.schema(other) == ["CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER)"])
        #expect(try Scratch.int(other, "SELECT count(*) FROM t") == 50)
        #expect(try MigrationProgress.all(other).isEmpty)
    }

    @Test("A begun backfill does not continue with a file that changed before it, or without one")
    func changedFile() throws {
        let connection = try Connection.inMemory()
        let set = try begun(connection)
        let create = Scratch.up("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER);")
        let changed = try Scratch.set([
            create, Scratch.up(Self.update.replacing("doubled INTEGER", with: "doubled REAL")),
        ])
        Refusal.expect(.migrationChanged) { _ = try Migrator(changed).run(on: connection) }
        Refusal.expect(.migrationMissing) {
            _ = try Migrator(Scratch.set(create)).run(on: connection)
        }
        _ = try Migrator(set).run(on: connection)
        #expect(try right(connection) == 50)
    }

    @Test("Two runners share the batches, and each row is updated once")
    func twoRunners() throws {
        let scratch = try DatabaseScratch()
        let connection = try scratch.create()
        let script = """
            -- lockstep: backfill t batch=5
            UPDATE t SET n = n + 1000 WHERE id BETWEEN :first AND :last;
            """
        let set = try prepared(rows: 50, connection, script)
        var turns = 0
        let first = Migrator(set) { event in
            guard case .advanced = event else { return }
            turns += 1
            guard turns == 3 else { return }
            let other = try scratch.open()
            #expect(try Migrator(set).run(on: other).steps.count == 1)
        }
        #expect(try first.run(on: connection).steps.isEmpty)
        #expect(try Scratch.int(connection, "SELECT sum(n - 1000) FROM t") == 1225)
        #expect(try Ledger.entries(connection).count == 2)
    }

    @Test("Rows inserted past the cursor are done, too; other writers get time between batches")
    func othersWrite() throws {
        let scratch = try DatabaseScratch()
        let connection = try scratch.create()
        let set = try prepared(rows: 20, connection)
        let other = try scratch.open()
        var inserted = 0
        _ = try Migrator(set) { event in
            guard case .advanced = event, inserted < 3 else { return }
            try other.execute("INSERT INTO t (n) VALUES (7)")
            inserted += 1
        }.run(on: connection)
        #expect(try right(connection) == 23)
    }

    @Test(
        "Keys of any kind: none, text, WITHOUT ROWID, gaps and negative numbers",
        arguments: [
            ("CREATE TABLE t (n INTEGER)", "rowid"),
            ("CREATE TABLE t (k TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID", "k"),
            ("CREATE TABLE t (rowid TEXT, n INTEGER)", "_rowid_"),
            ("CREATE TABLE t (\"a \"\"key\" INTEGER PRIMARY KEY, n INTEGER)", "\"a \"\"key\""),
        ])
    func keys(create: String, key: String) throws {
        let connection = try Connection.inMemory()
        let script = """
            ALTER TABLE t ADD COLUMN doubled;
            -- lockstep: backfill t batch=4
            UPDATE t SET doubled = 2 * n WHERE \(key) BETWEEN :first AND :last
            """
        let set = try Scratch.set([Scratch.up(create + ";"), Scratch.up(script)])
        _ = try Migrator(set).run(.version(MigrationVersion(1)), on: connection)
        for number in 0..<23 {
            let column = create.contains("PRIMARY KEY") ? key : "n"
            let id = create.contains("TEXT PRIMARY") ? "'k\(number * 7 % 23)'" : "\(number * 3 - 30)"
            let sql =
                column == "n"
                ? "INSERT INTO t (n) VALUES (\(number))" : "INSERT INTO t (\(column), n) VALUES (\(id), \(number))"
            try connection.execute(SQL(verbatim: sql))
        }
        _ = try Migrator(set).run(on: connection)
        #expect(try right(connection) == 23)
    }

    @Test(
        "An impossible backfill is refused, with its place, and nothing is done",
        arguments: [
            ("-- lockstep: backfill t batch=10\n", LockstepError.Code.migrationMalformed),
            (
                "-- lockstep: backfill t batch=10\n-- lockstep: foreign keys off\nUPDATE t SET n = 1;",
                .migrationMalformed
            ),
            ("-- lockstep: backfill t batch=10\nUPDATE t SET n = 1;", .migrationMalformed),
            (
                "-- lockstep: backfill t batch=10\nUPDATE t SET n = 1 WHERE id > :first;",
                .migrationMalformed
            ),
            ("-- lockstep: backfill t batch=10\nSELECT :first, :last;", .migrationMalformed),
            ("-- lockstep: backfill u batch=10\nUPDATE t SET n = 1 WHERE id IN (:first, :last);", .migrationFailed),
            ("-- lockstep: backfill t batch=10\nDELETE FROM t WHERE id BETWEEN :first AND :last;", .rowsLost),
            ("-- lockstep: backfill t batch=9\nREPLACE INTO t SELECT 1, 1 WHERE :first < :last;", .rowsLost),
            (
                "-- lockstep: backfill t batch=9\nUPDATE t SET id = -id WHERE id IN (:first, :last);",
                .migrationMalformed
            ), ("-- lockstep: backfill t batch=9\nUPDATE t SET nope = 1 WHERE id IN (:first, :last);", .sqlFailed),
        ])
    func refused(script: String, code: LockstepError.Code) throws {
        let connection = try Connection.inMemory()
        let set = try prepared(rows: 25, connection, script)
        let error = #expect(throws: LockstepError.self) {
            _ = try Migrator(set).run(on: connection)
        }
        #expect(error?.code == code, "\(String(describing: error))")
        #expect(error?.message.contains("0002_step.sql:") == true, "\(String(describing: error))")
        #expect(try Scratch.int(connection, "SELECT sum(n) FROM t") == 300)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM t") == 25)
        #expect(try MigrationProgress.all(connection).isEmpty)
    }

    @Test("A declared deletion runs; a constraint that would replace rows is noticed") func deletions() throws {
        let connection = try Connection.inMemory()
        let script = """
            -- lockstep: allow loss of table t
            -- lockstep: backfill t batch=6
            DELETE FROM t WHERE id BETWEEN :first AND :last AND n % 2 = 1;
            """
        _ = try Migrator(prepared(rows: 25, connection, script)).run(on: connection)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM t") == 13)

        let other = try Connection.inMemory()
        let set = try Scratch.set([
            Scratch.up("CREATE TABLE t (id INTEGER PRIMARY KEY, n UNIQUE ON CONFLICT REPLACE);"),
            Scratch.up("-- lockstep: backfill t batch=6\nUPDATE t SET n = 1 WHERE id IN (:first, :last);"),
        ])
        _ = try Migrator(set).run(.version(MigrationVersion(1)), on: other)
        try other.execute("INSERT INTO t (n) VALUES (1), (2)")
        Refusal.expect(.rowsLost) { _ = try Migrator(set).run(on: other) }
    }

    @Test("A failing batch keeps the batches before it, and the next run begins with it") func failingBatch() throws {
        let connection = try Connection.inMemory()
        let script = """
            -- lockstep: backfill t batch=10
            UPDATE t SET n = n + 1000 WHERE id BETWEEN :first AND :last;
            """
        let set = try prepared(rows: 30, connection, script)
        try connection.execute(
            "CREATE TRIGGER no BEFORE UPDATE ON t WHEN old.id = 15 BEGIN SELECT raise(ABORT, 'no'); END")
        Refusal.expect(.constraint) { _ = try Migrator(set).run(on: connection) }
        #expect(try Scratch.int(connection, "SELECT count(*) FROM t WHERE n >= 1000") == 10)
        try connection.execute("DROP TRIGGER no")
        _ = try Migrator(set).run(on: connection)
        #expect(try Scratch.int(connection, "SELECT sum(n - 1000) FROM t") == 435)
    }
}
