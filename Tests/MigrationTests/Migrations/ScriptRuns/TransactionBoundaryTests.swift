import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Files that switch foreign keys or edit the schema themselves") final class TransactionBoundaryTests {
    private static let base = """
        CREATE TABLE parent (id INTEGER PRIMARY KEY, n TEXT NOT NULL);
        CREATE TABLE child (id INTEGER PRIMARY KEY, p INTEGER REFERENCES parent ON DELETE CASCADE);
        INSERT INTO parent VALUES (1, 'a'), (2, 'b');
        INSERT INTO child VALUES (1, 1), (2, 2);
        """
    private static let rebuild = """
        CREATE TABLE new (id INTEGER PRIMARY KEY, n TEXT);
        INSERT INTO new SELECT * FROM parent;
        DROP TABLE parent;
        ALTER TABLE new RENAME TO parent;
        """

    private let connection: Connection

    init() throws { connection = try Connection.inMemory() }

    private func prepare(_ script: String) throws -> MigrationSet {
        let set = try Scratch.set(Scratch.up(Self.base), Scratch.up(script))
        _ = try Migrator(set).run(.version(MigrationVersion(1)), on: connection)
        return set
    }

    @Test(
        "Under `foreign keys off` these statements have nothing to do, and a plan prints that declaration",
        arguments: [
            (
                "COMMIT;\nPRAGMA foreign_keys = OFF;\nBEGIN;\n",
                "\nCOMMIT;\nPRAGMA foreign_keys = ON;\nBEGIN;"
            ),
            ("COMMIT TRANSACTION; PRAGMA foreign_keys=off; BEGIN TRANSACTION;\n", ""),
            ("PRAGMA foreign_keys = 0;\nBEGIN IMMEDIATE;\n", "\nEND;\nPRAGMA foreign_keys(1);"),
            ("-- as the manual says\nPRAGMA foreign_keys=OFF;\n/* so */ BEGIN TRANSACTION;\n", "COMMIT;"),
        ])
    func boundaries(before: String, after: String) throws {
        let set = try prepare(before + Self.rebuild + after)
        let error = try #require(throws: LockstepError.self, performing: { _ = try Migrator(set).run(on: connection) })
        #expect(error.hint?.contains("(2: foreign keys off)") == true, "\(error.hint ?? "")")
        #expect(error.context.line == (before.hasPrefix("--") ? 3 : 2))
        let preview = try Migrator(set).preview(on: connection)
        #expect(preview.declarations.map(\.description) == ["2: foreign keys off"], "\(preview.lint)")
        let declared = try set.declaring("foreign keys off", at: MigrationVersion(2))
        #expect(try !Migrator(declared).preview(on: connection).isBlocked)
        _ = try Migrator(declared).run(on: connection)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM child") == 2)
        #expect(try Scratch.int(connection, "PRAGMA foreign_keys") == 1)
    }

    @Test(
        "A file that is a transaction by itself is one version",
        arguments: [
            ("BEGIN;\n", "\nCOMMIT;\n"), ("-- by a tool\nbegin immediate transaction;", "END TRANSACTION;"),
            ("BEGIN;", "-- lockstep: report odd rows\nUPDATE child SET p = 1;\nCOMMIT;\n-- the end"),
        ])
    func whole(before: String, after: String) throws {
        let set = try prepare("\(before)CREATE TABLE a (x);\nINSERT INTO a VALUES (1);\(after)")
        #expect(try !Migrator(set).preview(on: connection).isBlocked)
        _ = try Migrator(set).run(on: connection)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM a") == 1)
        // Nothing of it stays if a statement fails.
        let script = "\(before)CREATE TABLE b (x);\nINSERT INTO nowhere VALUES (1);\(after)"
        let failing = try Scratch.set(Scratch.up(Self.base), Scratch.up(script))
        let other = try Connection.inMemory()
        #expect(throws: LockstepError.self) { try Migrator(failing).run(on: other) }
        #expect(try Scratch.int(other, "SELECT count(*) FROM sqlite_schema WHERE name = 'b'") == 0)
    }

    @Test(
        "BEGIN without COMMIT at the end, and COMMIT without BEGIN, are refused",
        arguments: [
            "BEGIN;\nCREATE TABLE a (x);", "CREATE TABLE a (x);\nCOMMIT;", "BEGIN;\nCOMMIT;\nCREATE TABLE a (x);",
        ])
    func half(script: String) throws {
        let set = try prepare(script)
        let error = try #require(throws: LockstepError.self) { try Migrator(set).run(on: connection) }
        #expect(error.message.contains("is refused inside a migration"), "\(error.message)")
        #expect(try Scratch.int(connection, "SELECT count(*) FROM sqlite_schema WHERE name = 'a'") == 0)
    }

    @Test(
        "A transaction that ends in the middle is refused, also under `foreign keys off`",
        arguments: ["COMMIT;\n", "BEGIN;\n", "ROLLBACK;\n", "SAVEPOINT s;\n"])
    func middle(statement: String) throws {
        let set = try prepare("-- lockstep: foreign keys off\nCREATE TABLE a (x);\n\(statement)CREATE TABLE b (x);")
        #expect(throws: LockstepError.self) { try Migrator(set).run(on: connection) }
        #expect(try Ledger.entries(connection).count == 1)
    }

    // MARK: Edits of the schema

    private static func edit(_ old: String, _ new: String) -> String {
        "PRAGMA writable_schema = ON;\nUPDATE sqlite_master SET sql = replace(sql, '\(old)', '\(new)') "
            + "WHERE type = 'table' AND name IN ('parent', 'child');\nPRAGMA writable_schema = OFF;"
    }

    @Test("An edit of definitions needs a declaration, which a plan prints, and then runs") func edited() throws {
        let set = try prepare(Self.edit(" NOT NULL", " COLLATE NOCASE"))
        let error = try #require(throws: LockstepError.self, performing: { _ = try Migrator(set).run(on: connection) })
        #expect(error.hint?.contains("allow edits of schema") == true)
        let preview = try Migrator(set).preview(on: connection)
        #expect(preview.declarations.map(\.description) == ["2: allow edits of schema"], "\(preview.lint)")
        let declared = try set.declaring("allow edits of schema", at: MigrationVersion(2))
        _ = try Migrator(declared).run(on: connection)
        // This connection knows the new definition.
        try connection.execute("INSERT INTO parent VALUES (3, NULL)")
        #expect(try Scratch.int(connection, "SELECT count(*) FROM parent WHERE n = 'A'") == 1)
        // The permission ends with the version.
        for sql in ["PRAGMA writable_schema = ON", "UPDATE sqlite_master SET sql = sql"] {
            #expect(throws: LockstepError.self) {
                try connection.with(rights: .program) { try connection.execute(SQL(verbatim: sql)) }
            }
        }
    }

    @Test(
        "An edit that does not fit what is stored is refused and leaves no trace",
        arguments: [
            // Columns that rows have, or do not have.
            edit(", n TEXT NOT NULL", ""), edit("n TEXT", "m TEXT, n TEXT"), edit("n TEXT", "m TEXT"),
            // Rows that break it.
            edit("n TEXT NOT NULL", "n TEXT CHECK (n <> 'a')"),
            // What SQLite cannot read.
            edit("CREATE TABLE parent", "CREATE TABEL parent"),
            // Parents that do not exist.
            edit("REFERENCES parent", "REFERENCES nobody"),
            // What is not text, and what is not the program's.
            "PRAGMA writable_schema = ON;\nDELETE FROM sqlite_master WHERE name = 'child';",
            "PRAGMA writable_schema = ON;\nUPDATE sqlite_master SET rootpage = 9 WHERE name = 'child';",
            "PRAGMA writable_schema = ON;\nUPDATE sqlite_schema SET sql = sql, name = 'x' WHERE name = 'child';",
            "PRAGMA writable_schema = ON;\nINSERT INTO sqlite_master VALUES ('table', 'x', 'x', 2, 'CREATE TABLE x (y)');",
            "PRAGMA writable_schema = ON;\nUPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') "
                + "WHERE name = 'lockstep_migration';",
        ])
    func refused(sql: String) throws {
        let plain = try prepare(sql)
        let set = try plain.declaring("allow edits of schema", at: MigrationVersion(2))
        let before = try Scratch.schema(connection)
        #expect(throws: LockstepError.self) { try Migrator(set).run(on: connection) }
        #expect(try Scratch.schema(connection) == before)
        #expect(try Ledger.entries(connection).count == 1)
        #expect(try Migrator(set).preview(on: connection).isBlocked)
        try connection.execute("INSERT INTO child VALUES (3, 1)")
        _ = try Migrator(Scratch.set(Scratch.up(Self.base), Scratch.up("CREATE TABLE z (x);"))).run(on: connection)
    }
}
