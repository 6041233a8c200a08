import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("What the guard remembers between migrations")
struct GuardKnowledgeTests {
    private static let setup = """
        CREATE TABLE parent (id INTEGER PRIMARY KEY);
        CREATE TABLE child (id INTEGER PRIMARY KEY, p REFERENCES parent ON DELETE CASCADE);
        INSERT INTO parent VALUES (1), (2);
        INSERT INTO child VALUES (1, 1), (2, 2);
        """

    /// Runs scripts as versions of one run, after a version that does the setup.
    private func refusal(of scripts: String...) throws -> LockstepError? {
        let set = try Scratch.set(([Self.setup] + scripts).map { Scratch.up($0) })
        return try refusal(of: Migrator(set), Connection.inMemory())
    }

    private func refusal(
        of migrator: Migrator, _ connection: borrowing Connection
    ) throws -> LockstepError? {
        do {
            _ = try migrator.run(on: connection)
            return nil
        } catch let error as LockstepError { return error }
    }

    @Test("The guard notices when a later version loses rows that an earlier one added") func countsGrow() throws {
        let error = try refusal(
            of: "INSERT INTO child VALUES (3, 1);", "UPDATE child SET p = 2 WHERE id = 3;",
            "DELETE FROM child WHERE id > 2;")
        #expect(error?.code == .rowsLost)
        #expect(error?.message.contains("child went from 3 rows to 2") == true)
        let all = try refusal(
            of: "-- lockstep: allow loss of table child\nDELETE FROM child WHERE id = 1;",
            "INSERT INTO child VALUES (5, 1), (6, 1);", "DELETE FROM child WHERE id = 5;")
        #expect(all?.message.contains("child went from 3 rows to 2") == true)
    }

    @Test("A migration may delete rows that it inserted itself")
    func ownRows() throws {
        let own = "INSERT INTO child VALUES (3, 1), (4, 1);\nDELETE FROM child WHERE id = 3;"
        #expect(try refusal(of: own) == nil)
        let more = "INSERT INTO child VALUES (3, 1);\nDELETE FROM child WHERE id <= 2;"
        #expect(try refusal(of: more)?.message.contains("child went from 2 rows to 1") == true)
    }

    @Test("A temporary trigger from before the run counts like one of the schema") func triggerOfBefore() throws {
        let set = try Scratch.set([Self.setup + "CREATE TABLE gone (x);", "DROP TABLE gone;"].map { Scratch.up($0) })
        let connection = try Connection.inMemory()
        _ = try Migrator(set).run(.version(MigrationVersion(1)), on: connection)
        try connection.run(
            script: """
                CREATE TEMP TRIGGER own AFTER INSERT ON main.child BEGIN DELETE FROM gone; END
                """)
        let error = try refusal(of: Migrator(set), connection)
        #expect(error?.code == .schemaBroken)
        #expect(error?.message.contains("table child cannot be used") == true)
    }

    @Test("A cascade is noticed, however many versions lie between")
    func cascade() throws {
        let error = try refusal(
            of: "CREATE TABLE other (x);", "CREATE INDEX i ON child (p);",
            "-- lockstep: allow loss of table parent\nDELETE FROM parent WHERE id = 1;")
        #expect(error?.message.contains("child went from 2 rows to 1") == true)
    }

    @Test("Old violations are known, and distinguished from new ones")
    func violations() throws {
        let off = "-- lockstep: foreign keys off\n"
        let connection = try Connection.inMemory()
        try connection.run(script: Self.setup)
        try connection.execute("PRAGMA foreign_keys = OFF")
        try connection.execute("INSERT INTO child VALUES (9, 99)")
        try connection.execute("PRAGMA foreign_keys = ON")
        let set = try Scratch.set([
            Scratch.up("\(off)UPDATE child SET p = 98 WHERE id = 9;"), Scratch.up("UPDATE parent SET id = id;"),
            Scratch.up("\(off)INSERT INTO child VALUES (10, 97);"),
        ])
        var report = MigrationReport()
        let code = try Refusal.code { try Migrator(set).run(on: connection, into: &report) }
        #expect(code == .foreignKeysBroken)
        #expect(report.steps.count == 2)
    }

    @Test("A mended violation does not excuse a later one")
    func mended() throws {
        let off = "-- lockstep: foreign keys off\n"
        let connection = try Connection.inMemory()
        try connection.run(script: Self.setup)
        try connection.execute("PRAGMA foreign_keys = OFF")
        try connection.execute("INSERT INTO child VALUES (9, 99)")
        try connection.execute("PRAGMA foreign_keys = ON")
        let set = try Scratch.set([
            Scratch.up("UPDATE child SET id = id;"),
            Scratch.up("INSERT INTO parent VALUES (99);"),
            Scratch.up("\(off)INSERT INTO child VALUES (10, 97);"),
        ])
        let code = try Refusal.code { _ = try Migrator(set).run(on: connection) }
        #expect(code == .foreignKeysBroken)
    }

    @Test("Allowed violations that were deleted do not excuse others later") func deletedViolations() throws {
        let off = "-- lockstep: foreign keys off\n"
        let error = try refusal(
            of: off + "-- lockstep: allow broken references of table child\n"
                + "INSERT INTO child VALUES (11, 91), (12, 92), (13, 93), (14, 94), (15, 95);",
            "-- lockstep: allow loss of table child\nDELETE FROM child WHERE id > 10;",
            off + "INSERT INTO child VALUES (21, 91), (22, 92), (23, 93);")
        #expect(error?.code == .foreignKeysBroken)
        #expect(error?.message.contains("3 rows of child → parent have no parent") == true)
    }

    @Test("Writes by others between two versions are seen")
    func others() throws {
        let scratch = try DatabaseScratch()
        let connection = try scratch.create()
        try connection.run(script: Self.setup)
        let set = try Scratch.set([
            Scratch.up("-- lockstep: allow loss of table child\nDELETE FROM child WHERE id = 1;"),
            Scratch.up("DELETE FROM child WHERE id = 7;"),
        ])
        let migrator = Migrator(set) { event in
            guard case .committed(_, let version) = event, version == MigrationVersion(1) else {
                return
            }
            let other = try scratch.open()
            try other.execute("INSERT INTO child VALUES (7, 1), (8, 1)")
        }
        let error = try refusal(of: migrator, connection)
        #expect(error?.message.contains("child went from 3 rows to 2") == true)
    }

    @Test("A table that was already broken does not count, and does not excuse another") func unusable() throws {
        let error = try refusal(
            of: "CREATE VIEW v AS SELECT id FROM parent;", "CREATE VIEW w AS SELECT id FROM v;", "DROP VIEW v;")
        #expect(error?.code == .schemaBroken)
        #expect(error?.message.contains("view w cannot be used") == true)
    }

    @Test("The guard notices the loss of a column that a view of a view needs") func transitiveViews() throws {
        let error = try refusal(
            of: "ALTER TABLE child ADD COLUMN x;", "CREATE VIEW v AS SELECT * FROM child;",
            "CREATE VIEW w AS SELECT x FROM v;", "CREATE TRIGGER r INSTEAD OF DELETE ON w BEGIN SELECT 1; END;",
            "DROP VIEW w;\nDROP VIEW v;\nCREATE VIEW v AS SELECT id FROM child;\n"
                + "CREATE VIEW w AS SELECT id FROM v;\nCREATE TRIGGER r AFTER DELETE ON child BEGIN SELECT x FROM v; END;"
        )
        #expect(error?.code == .schemaBroken)
    }

    @Test("A rebuild need not be counted, except by a table that drops rows")
    func rebuild() throws {
        let plain = "-- lockstep: rebuild table child\nCREATE TABLE child (id INTEGER PRIMARY KEY, p);"
        #expect(try refusal(of: plain, plain) == nil)
        let conflicting =
            "-- lockstep: rebuild table child\n"
            + "CREATE TABLE child (id INTEGER PRIMARY KEY, p, x DEFAULT 1 UNIQUE ON CONFLICT REPLACE);"
        #expect(try refusal(of: conflicting)?.message.contains("child went from 2 rows to 1") == true)
        let ignoring = conflicting.replacingOccurrences(of: "REPLACE", with: "IGNORE")
        #expect(try refusal(of: ignoring)?.message.contains("child went from 2 rows to 1") == true)
        let after = plain + "\nDELETE FROM child WHERE id = 1;"
        #expect(try refusal(of: after)?.message.contains("child went from 2 rows to 1") == true)
        let before = "DELETE FROM child WHERE id = 1;\n" + plain
        #expect(try refusal(of: before)?.message.contains("child went from 2 rows to 1") == true)
    }
}
