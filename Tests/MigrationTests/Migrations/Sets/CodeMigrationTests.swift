import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Code migrations")
struct CodeMigrationTests {
    private let first = Scratch.up(
        "CREATE TABLE a (x INTEGER PRIMARY KEY, y TEXT);\nINSERT INTO a (y) VALUES ('b'), ('c');",
        down: "-- lockstep: allow loss of table a\nDROP TABLE a;")

    private func upper(
        revision: String = "1",
        down: CodeMigration.Change? = { connection in
            try connection.execute("UPDATE a SET y = lower(y)")
        }
    ) throws -> CodeMigration {
        try CodeMigration(
            version: MigrationVersion(2), name: "upper case", revision: revision,
            up: { connection in
                let rows = try connection.query("SELECT x, y FROM a", as: (Int, String).self)
                for (x, y) in rows {
                    try connection.execute("UPDATE a SET y = ? WHERE x = ?", y.uppercased(), x)
                }
            }, down: down)
    }

    private func text(_ connection: borrowing Connection) throws -> [String] {
        try connection.query("SELECT y FROM a ORDER BY x") { row in try row[0] as String }
    }

    @Test("Code runs in order between files, is recorded, and can be undone")
    func running() throws {
        let connection = try Connection.inMemory()
        let third = Scratch.up("CREATE TABLE c (z);", down: "DROP TABLE c;")
        let set = try MigrationSet(
            name: "test", files: [(name: "1_a.sql", content: first), (name: "3_c.sql", content: third)]
        ).adding(try upper())
        let report = try Migrator(set).run(on: connection)
        #expect(report.steps.map(\.name) == ["a", "upper case", "c"])
        #expect(try text(connection) == ["B", "C"])
        #expect(try Migrator(set).run(on: connection).steps.isEmpty)
        #expect(try Migrator(set).run(.back(2), on: connection).steps.count == 2)
        #expect(try text(connection) == ["b", "c"])
        _ = try Migrator(set).run(.redo(1), on: connection)
        #expect(try Ledger.entries(connection).map(\.version.description) == ["1"])
    }

    @Test("Code of another revision is a change; removed code is missing")
    func revisions() throws {
        let connection = try Connection.inMemory()
        let files = try Scratch.set(first)
        _ = try Migrator(files.adding(upper())).run(on: connection)
        Refusal.expect(.migrationChanged) {
            _ = try Migrator(files.adding(upper(revision: "2"))).run(on: connection)
        }
        Refusal.expect(.migrationMissing) { _ = try Migrator(files).run(on: connection) }
        // Only a program with the code can undo it.
        Refusal.expect(.irreversible) { _ = try Migrator(files).run(.back(1), on: connection) }
        Refusal.expect(.irreversible) {
            _ = try Migrator(files.adding(upper(down: nil))).run(.back(1), on: connection)
        }
    }

    @Test("Code and a file that claim one version are reported by their names")
    func duplicate() throws {
        let connection = try Connection.inMemory()
        let set = try Scratch.set(first, Scratch.up("SELECT 1;")).adding(upper())
        let error = #expect(throws: LockstepError.self) {
            _ = try Migrator(set).run(on: connection)
        }
        #expect(error?.code == .versionDuplicate)
        #expect(error?.message.contains("0002_step.sql and 2 upper case (code)") == true)
    }

    @Test("An error, a commit or a lost row rolls all of it back")
    func failing() throws {
        struct Own: Error {}
        let files = try Scratch.set(first)
        let changes: [(LockstepError.Code?, CodeMigration.Change)] = [
            (
                nil,
                { connection in
                    try connection.execute("DELETE FROM a")
                    throw Own()
                }
            ),
            (.denied, { connection in try connection.execute("COMMIT") }),
            (.rowsLost, { connection in try connection.execute("DELETE FROM a WHERE x = 1") }),
            (.denied, { connection in try connection.execute("DROP TABLE lockstep_migration") }),
            (
                .foreignKeysBroken,
                { connection in
                    try connection.execute("CREATE TABLE k (p REFERENCES nowhere (q))")
                }
            ),
        ]
        for (code, change) in changes {
            let connection = try Connection.inMemory()
            let set = files.adding(try CodeMigration(version: MigrationVersion(2), name: "bad", up: change))
            let error = #expect(throws: (any Error).self) {
                _ = try Migrator(set).run(on: connection)
            }
            let reported = error as? LockstepError
            #expect(reported?.code == code, "\(String(describing: error))")
            #expect(reported?.message.hasPrefix("test/2 bad (code): ") ?? true, "\(reported?.message ?? "")")
            #expect(try text(connection) == ["b", "c"])
            #expect(try Ledger.entries(connection).count == 1)
            #expect(try Scratch.schema(connection).count == 1)
        }
    }

    @Test("Losses may be declared, foreign keys switched off; a name is required")
    func options() throws {
        let connection = try Connection.inMemory()
        let parent = Scratch.up(
            """
            CREATE TABLE p (id INTEGER PRIMARY KEY);
            CREATE TABLE k (p REFERENCES p ON DELETE CASCADE);
            INSERT INTO p VALUES (1), (2);
            INSERT INTO k VALUES (1), (2);
            """)
        let code = try CodeMigration(
            version: MigrationVersion(2), name: "replace the parent", foreignKeysOff: true, mayLoseRowsOf: ["P"],
            up: { connection in
                try connection.execute("DELETE FROM p WHERE id = 2")
                try connection.execute("UPDATE k SET p = 1")
            })
        _ = try Migrator(Scratch.set(parent).adding(code)).run(on: connection)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM k") == 2)
        #expect(try Scratch.int(connection, "PRAGMA foreign_keys") == 1)
        Refusal.expect(.misuse) {
            _ = try CodeMigration(version: MigrationVersion(1), name: "", up: { _ in })
        }
    }
}
