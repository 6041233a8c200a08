import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Scripts without a transaction")
struct NontransactionalScriptTests {
    private static let script = """
        -- lockstep: no transaction
        CREATE TABLE a (x INTEGER); -- one; two
        INSERT INTO a VALUES (1), (2);
        VACUUM;
        PRAGMA optimize;
        BEGIN IMMEDIATE;
        UPDATE a SET x = x + 10;
        INSERT INTO a VALUES (13);
        COMMIT;
        CREATE TRIGGER a_up AFTER INSERT ON a BEGIN
            UPDATE a SET x = x + 100 WHERE x = new.x;
        END;
        INSERT INTO a VALUES (4)
        """

    private func values(_ connection: borrowing Connection) throws -> [Int] {
        try connection.query("SELECT x FROM a ORDER BY rowid") { row in try row[0] as Int }
    }

    @Test("Statements run one by one, a file's own transaction as a whole")
    func running() throws {
        let scratch = try DatabaseScratch()
        let connection = try scratch.create()
        let report = try Migrator(Scratch.set(Scratch.up(Self.script))).run(on: connection)
        #expect(report.steps.map(\.statements) == [8])
        #expect(try values(connection) == [11, 12, 13, 104])
        #expect(try Ledger.entries(connection).count == 1)
        #expect(try !EngineTables.exists(EngineTables.progress, connection))
        #expect(try Scratch.int(connection, "PRAGMA foreign_keys") == 1)
    }

    @Test("Stopped at any event, the next run continues, and no statement runs twice") func resuming() throws {
        let set = try Scratch.set(Scratch.up(Self.script))
        var event = 0
        while true {
            let scratch = try DatabaseScratch()
            let connection = try scratch.create()
            var count = 0
            let stopping = Migrator(set) { _ in
                if count == event { throw Stop() }
                count += 1
            }
            do {
                _ = try stopping.run(on: connection)
                #expect(event > 12)
                return
            } catch is Stop {
                let isOpen = connection.isInTransaction
                #expect(!isOpen)
            }
            _ = try Migrator(set).run(on: connection)
            #expect(try values(connection) == [11, 12, 13, 104], "stopped at event \(event)")
            #expect(try Ledger.entries(connection).count == 1)
            event += 1
        }
    }

    @Test("A way down without a transaction can be stopped, too; nothing goes up until it is done") func down() throws {
        let connection = try Connection.inMemory()
        let set = try Scratch.set([
            Scratch.up("CREATE TABLE a (x);", down: "DROP TABLE a;"),
            Scratch.up(
                "CREATE TABLE b (y);\nCREATE TABLE c (z);",
                down: "-- lockstep: no transaction\nDROP TABLE b;\nDROP TABLE c;"),
        ])
        _ = try Migrator(set).run(on: connection)
        let stopping = Migrator(set) { event in if case .advanced = event { throw Stop() } }
        #expect(throws: Stop.self) { _ = try stopping.run(.back(1), on: connection) }
        #expect(try Scratch.schema(connection).count == 2 + 1)
        Refusal.expect(.migrationUnfinished) { _ = try Migrator(set).run(on: connection) }
        #expect(try Migrator(set).run(.back(1), on: connection).steps.count == 1)
        #expect(try Scratch.schema(connection) == ["CREATE TABLE a (x)"])
        _ = try Migrator(set).run(on: connection)
        #expect(try Ledger.entries(connection).count == 2)
    }

    @Test(
        "Statements that cannot run are reported with their line",
        arguments: [
            (
                "CREATE TABLE a (x);\nBEGIN;\nINSERT INTO a VALUES (1);",
                LockstepError.Code.migrationMalformed, ":4:"
            ),
            ("CREATE TABLE a (x);\n\nROLLBACK;", .migrationFailed, ":5:"),
            ("BEGIN;\nCREATE TABLE a (x);\nBEGIN;\nCOMMIT;", .migrationFailed, ":5:"),
            ("CREATE TABLE a (x);\nATTACH 'b' AS b;", .migrationFailed, ":4:"),
            ("PRAGMA rekey = 'x';", .migrationFailed, ":3:"),
            ("PRAGMA journal_mode = DELETE;", .migrationFailed, ":3:"),
            ("CREATE TABLE a (x);\nVACUUM INTO 'elsewhere.db';", .migrationFailed, ":4:"),
            ("-- lockstep: rebuild table a\nCREATE TABLE a (x);", .migrationMalformed, ":3:"),
            ("CREATE TABLE 'unfinished (x);", .migrationFailed, ":3:"), ("COMMIT;", .migrationFailed, ":3:"),
        ])
    func refused(script: String, code: LockstepError.Code, line: String) throws {
        let scratch = try DatabaseScratch()
        let connection = try scratch.create()
        let set = try Scratch.set(Scratch.up("-- lockstep: no transaction\n" + script))
        let error = #expect(throws: LockstepError.self) {
            _ = try Migrator(set).run(on: connection)
        }
        #expect(error?.code == code, "\(String(describing: error))")
        #expect(error?.message.contains("0001_step.sql\(line)") == true, "\(String(describing: error))")
        let isOpen = connection.isInTransaction
        #expect(!isOpen)
        #expect(try Ledger.entries(connection).isEmpty)
    }

    @Test("Lost rows in one of its transactions roll that transaction back")
    func losses() throws {
        let connection = try Connection.inMemory()
        let set = try Scratch.set([
            Scratch.up("CREATE TABLE a (x);\nINSERT INTO a VALUES (1), (2);"),
            Scratch.up("-- lockstep: no transaction\nCREATE TABLE b (y);\nDELETE FROM a WHERE x = 1;"),
        ])
        Refusal.expect(.rowsLost) { _ = try Migrator(set).run(on: connection) }
        #expect(try Scratch.int(connection, "SELECT count(*) FROM a") == 2)
        #expect(try MigrationProgress.all(connection).count == 1)
    }

    @Test("Foreign keys that a file switches off are on again afterwards, whether it fails or not")
    func foreignKeys() throws {
        for tail in ["", "\nINSERT INTO nowhere VALUES (1);"] {
            let connection = try Connection.inMemory()
            let script = "-- lockstep: no transaction\nPRAGMA foreign_keys = OFF;\nCREATE TABLE a (x);"
            let set = try Scratch.set(Scratch.up(script + tail))
            if tail.isEmpty {
                _ = try Migrator(set).run(on: connection)
            } else {
                Refusal.expect(.migrationFailed) { _ = try Migrator(set).run(on: connection) }
            }
            #expect(try Scratch.int(connection, "PRAGMA foreign_keys") == 1)
        }
    }
}
