import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Declarations about a version from outside its file")
struct DeclarationTests {
    private let tables = Scratch.up(
        "CREATE TABLE parent (id INTEGER PRIMARY KEY);\n"
            + "CREATE TABLE child (p INTEGER REFERENCES parent ON DELETE CASCADE);\n"
            + "INSERT INTO parent VALUES (1), (2);\nINSERT INTO child VALUES (1), (2), (2);",
        down: "DROP TABLE child;\nDROP TABLE parent;")

    private func messages(_ report: MigrationReport) -> [String] { report.notices.map(\.message) }

    // MARK: Rows

    @Test(
        "A declared loss is allowed and reported; the file's checksums do not change")
    func loss() throws {
        let connection = try Connection.inMemory()
        let set = try Scratch.set(tables, Scratch.up("DELETE FROM child WHERE p = 2;"))
        let error = try #require(throws: LockstepError.self, performing: { _ = try Migrator(set).run(on: connection) })
        #expect(error.code == .rowsLost)
        #expect(error.hint?.contains("(2: allow loss of table child)") == true)

        let declared = try set.declaring("allow loss of table child", at: MigrationVersion(2))
        let report = try Migrator(declared).run(on: connection)
        #expect(messages(report) == ["test/0002_step.sql: rows are lost, as declared: child went from 3 rows to 1"])
        #expect(report.notices.map(\.code) == [.rowsLost])
        #expect(try Scratch.int(connection, "SELECT count(*) FROM child") == 1)
        let plan = try Migrator(set).plan(.latest, on: connection)
        #expect(plan.steps.isEmpty && plan.findings.isEmpty)
    }

    @Test("A loss that the file itself declares is reported, too")
    func lossInFile() throws {
        let report = try Migrator(
            Scratch.set(tables, Scratch.up("-- lockstep: allow loss of table child\nDROP TABLE child;"))
        ).run(on: Connection.inMemory())
        #expect(messages(report) == ["test/0002_step.sql: rows are lost, as declared: child and its 3 rows are gone"])
    }

    @Test("A declaration applies to its version and its table alone")
    func scope() throws {
        let loss = Scratch.up("DELETE FROM child WHERE p = 2;")
        let set = try Scratch.set(tables, Scratch.up("CREATE TABLE more (x);"), loss)
        for (directive, version): (String, UInt64) in [
            ("allow loss of table child", 2), ("allow loss of table parent", 3),
            ("allow broken references of table child", 3), ("foreign keys off", 3),
        ] {
            let declared = try set.declaring(directive, at: MigrationVersion(version))
            Refusal.expect(.rowsLost) {
                _ = try Migrator(declared).run(on: Connection.inMemory())
            }
        }
    }

    @Test("A way down has its own declarations")
    func down() throws {
        let connection = try Connection.inMemory()
        let one = MigrationVersion(1)
        let set = try Scratch.set(tables)
        _ = try Migrator(set).run(on: connection)
        var declared = set
        for table in ["parent", "child"] {
            declared = try declared.declaring("allow loss of table \(table)", at: one)
        }
        let error = try #require(
            throws: LockstepError.self, performing: { _ = try Migrator(declared).run(.back(1), on: connection) })
        #expect(error.code == .rowsLost)
        #expect(error.hint?.contains("(1 down: allow loss of table ") == true)
        for table in ["parent", "child"] {
            declared = try declared.declaring("allow loss of table \(table)", at: one, down: true)
        }
        let report = try Migrator(declared).run(.back(1), on: connection)
        #expect(report.notices.count == 2)
        #expect(try Ledger.entries(connection).isEmpty)
    }

    @Test("A loss that was allowed and then rolled back is not reported")
    func rolledBack() throws {
        let connection = try Connection.inMemory()
        let set = try Scratch.set(tables, Scratch.up("DELETE FROM child WHERE p = 2;"))
            .declaring("allow loss of table child", at: MigrationVersion(2))
        var report = MigrationReport()
        let stopping = Migrator(set) { event in
            if case .recorded(_, MigrationVersion(2)) = event { throw Stop() }
        }
        #expect(throws: Stop.self) { try stopping.run(on: connection, into: &report) }
        #expect(report.notices.isEmpty)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM child") == 3)
    }

    // MARK: References

    @Test(
        "A declared broken reference is allowed until a later version mends it, and is reported"
    )
    func brokenReference() throws {
        let connection = try Connection.inMemory()
        let set = try Scratch.set(
            Scratch.up("CREATE TABLE c (p INTEGER REFERENCES later (id));"),
            Scratch.up("CREATE TABLE other (x);\nINSERT INTO other VALUES (1);"),
            Scratch.up("CREATE TABLE later (id INTEGER PRIMARY KEY);"))
        // This run ends before the version that mends it.
        let error = try #require(
            throws: LockstepError.self,
            performing: { _ = try Migrator(set).run(.version(MigrationVersion(2)), on: connection) })
        #expect(error.code == .foreignKeysBroken)
        #expect(
            error.hint?.contains("(1: allow broken references of table c)") == true)

        let declared = try set.declaring("allow broken references of table C", at: MigrationVersion(1))
        let report = try Migrator(declared).run(on: connection)
        #expect(
            messages(report) == ["test/0001_step.sql: as declared, a foreign key has nothing to refer to: c → later"])
        try connection.execute("INSERT INTO later VALUES (1)")
        try connection.execute("INSERT INTO c VALUES (1)")
    }

    @Test(
        "Rows without a parent are allowed for the declared tables only")
    func orphans() throws {
        let orphan = Scratch.up("-- lockstep: foreign keys off\nINSERT INTO child VALUES (9);")
        let set = try Scratch.set(tables, orphan)
        let two = MigrationVersion(2)
        let wrong = try set.declaring("allow broken references of table parent", at: two)
        Refusal.expect(.foreignKeysBroken) {
            _ = try Migrator(wrong).run(on: Connection.inMemory())
        }
        let right = try set.declaring("allow broken references of table child", at: two)
        let report = try Migrator(right).run(on: Connection.inMemory())
        #expect(messages(report) == ["test/0002_step.sql: as declared, 1 row of child → parent has no parent"])
    }

    @Test("A declared broken reference hides nothing else")
    func nothingElse() throws {
        let broken = "CREATE TABLE c (p INTEGER REFERENCES later (id));\n"
        for (more, code) in [
            ("CREATE VIEW v AS SELECT * FROM nowhere;", LockstepError.Code.schemaBroken),
            ("CREATE TABLE d (p INTEGER REFERENCES later (id));", .foreignKeysBroken),
            ("ALTER TABLE c ADD COLUMN g AS (nowhere());", .schemaBroken),
        ] {
            let set = try Scratch.set(Scratch.up("CREATE TABLE e (x);"), Scratch.up(broken + more))
                .declaring("allow broken references of table c", at: MigrationVersion(2))
            Refusal.expect(code) { _ = try Migrator(set).run(on: Connection.inMemory()) }
        }
    }

    @Test("Foreign keys are off for a version that declares it")
    func foreignKeysOff() throws {
        let connection = try Connection.inMemory()
        let replacing = Scratch.up(
            "CREATE TABLE p2 (id INTEGER PRIMARY KEY, x);\nINSERT INTO p2 SELECT id, 1 FROM parent;\n"
                + "DROP TABLE parent;\nALTER TABLE p2 RENAME TO parent;")
        let set = try Scratch.set(tables, replacing)
        let error = try #require(throws: LockstepError.self, performing: { _ = try Migrator(set).run(on: connection) })
        #expect(error.code == .rowsLost)
        #expect(error.hint?.contains("parent is dropped with foreign keys on") == true)
        #expect(error.hint?.contains("(2: foreign keys off)") == true)
        _ = try Migrator(set.declaring("foreign keys off", at: MigrationVersion(2)))
            .run(on: connection)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM child") == 3)
        #expect(try Scratch.int(connection, "PRAGMA foreign_keys") == 1)
    }

    @Test("Where SQLite refuses to drop a parent, the hint mentions foreign keys") func refusedDrop() throws {
        let set = try Scratch.set(
            Scratch.up(
                "CREATE TABLE p (id INTEGER PRIMARY KEY);\nCREATE TABLE c (p REFERENCES p);\n"
                    + "INSERT INTO p VALUES (1);\nINSERT INTO c VALUES (1);"),
            Scratch.up("DROP TABLE p;\nCREATE TABLE p (id INTEGER PRIMARY KEY);"))
        let error = try #require(
            throws: LockstepError.self, performing: { _ = try Migrator(set).run(on: Connection.inMemory()) })
        #expect(error.code == .migrationFailed)
        #expect(error.hint?.contains("foreign keys off") == true)
    }

    // MARK: What cannot be declared

    @Test(
        "Directives that belong in the file, and empty ones, cannot be declared",
        arguments: [
            "rebuild table child", "no transaction", "backfill child batch=10", "drop column x",
            "double quoted texts", "allow loss of child", "allow broken references", "",
        ])
    func undeclarable(text: String) throws {
        let set = try Scratch.set(tables)
        for down in [false, true] {
            Refusal.expect(.migrationMalformed) {
                _ = try set.declaring(text, at: MigrationVersion(1), down: down)
            }
        }
    }

    @Test("A version without a file in the set cannot have declarations")
    func unknownVersion() throws {
        let set = try Scratch.set(tables)
        Refusal.expect(.notFound) {
            _ = try set.declaring("foreign keys off", at: MigrationVersion(2))
        }
    }

    @Test("A preview reports declarations in advance")
    func preview() throws {
        let connection = try Connection.inMemory()
        let set = try Scratch.set(Scratch.up("CREATE TABLE c (p INTEGER REFERENCES later (id));"))
        let refused = try Migrator(set).preview(.latest, on: connection)
        #expect(refused.lint.contains { $0.rule == "refused" && $0.level == .error })
        let declared = try set.declaring("allow broken references of table c", at: MigrationVersion(1))
        let lint = try Migrator(declared).preview(.latest, on: connection).lint
        #expect(!lint.contains { $0.level == .error })
        #expect(lint.contains { $0.rule == "tolerated" && $0.level == .warning })
    }
}
