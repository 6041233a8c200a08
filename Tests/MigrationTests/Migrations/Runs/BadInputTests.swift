import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Mistakes that people make, file by file: each is reported with its place, the defect and the remedy, and the
/// content of the database does not change by a byte.
@Suite("Bad migrations")
struct BadInputTests {
    private static let first = Scratch.up(
        """
        CREATE TABLE parent (id INTEGER PRIMARY KEY AUTOINCREMENT, code TEXT UNIQUE);
        CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent (id) ON DELETE CASCADE);
        CREATE VIEW codes AS SELECT code FROM parent;
        """)

    private let database: DatabaseScratch

    init() throws {
        database = try DatabaseScratch()
        let connection = try database.create()
        _ = try Migrator(Scratch.set(Self.first)).run(on: connection)
        try connection.run(
            script: """
                INSERT INTO parent (code) VALUES ('a'), ('b'), ('c');
                INSERT INTO child (parent) VALUES (1), (2), (2), (3);
                """)
    }

    private func content() throws -> [String] { try DeploymentScratch.content(database.open()) }

    /// The error that ends a run of this set, after which the database is unchanged.
    private func refusal(of set: MigrationSet) throws -> LockstepError {
        let before = try content()
        let names = try database.names
        let error = try #require(#expect(throws: LockstepError.self) { _ = try Migrator(set).run(on: database.open()) })
        #expect(try content() == before)
        #expect(try database.names == names)
        #expect(error.hint?.isEmpty == false, "\(error)")
        return error
    }

    // MARK: Statements

    /// A way up of version 2, and its error. Its first line is the file's second.
    struct BadStatement: Sendable, CustomTestStringConvertible {
        let sql: String
        let code: LockstepError.Code
        let line: Int
        /// Parts of the message: the defect, and the statement.
        let says: [String]
        var testDescription: String { sql }

        init(_ code: LockstepError.Code, _ line: Int, _ says: [String], _ sql: String) {
            (self.sql, self.code, self.line, self.says) = (sql, code, line, says)
        }
    }

    static let statements: [BadStatement] = [
        .init(
            .migrationFailed, 4, ["COMMIT is refused inside a migration"],
            "CREATE TABLE a (x);\nINSERT INTO a VALUES (1);\nCOMMIT;\nCREATE TABLE b (x);"),
        .init(.migrationFailed, 3, ["PRAGMA rekey is refused"], "CREATE TABLE a (x);\nPRAGMA rekey = 'hunter2';"),
        .init(.migrationFailed, 3, ["PRAGMA key is refused"], "DELETE FROM child WHERE 0;\nPRAGMA key = 'hunter2';"),
        .init(
            .migrationFailed, 2, ["PRAGMA temp_store is refused"], "PRAGMA temp_store = FILE;"),
        .init(
            .migrationFailed, 3, ["ATTACH is refused"],
            "CREATE TABLE a (x);\nATTACH 'hunter2.db' AS other;\nCREATE TABLE other.b (x);"),
        .init(
            .migrationFailed, 3, ["unrecognized token", "INSERT INTO parent"],
            "CREATE TABLE a (x);\nINSERT INTO parent (code) VALUES ('hunter2);\nCREATE TABLE b (x);"),
        .init(
            .migrationFailed, 8, ["no such table", "nowhere", "INSERT INTO nowhere"],
            """
            CREATE TRIGGER t AFTER INSERT ON parent BEGIN
                UPDATE parent SET code = CASE WHEN new.code = 'END;' THEN 'x;' ELSE code END
                    WHERE id = new.id;
                SELECT ';'; -- END;
            END;
            INSERT INTO parent (code) VALUES ('END;');
            INSERT INTO nowhere VALUES ('hunter2');
            """),
        .init(
            .schemaBroken, 3, ["table parent cannot be used", "no_such_function", "by: ALTER TABLE"],
            "CREATE TABLE a (x);\n" + "ALTER TABLE parent ADD COLUMN g GENERATED ALWAYS AS (no_such_function(id));\n"
                + "CREATE TABLE b (x);"),
        // The correct version, with the directive for a rebuild.
        .init(
            .foreignKeysBroken, 7, ["nothing to refer to: child → parent_old", "by: DROP TABLE"],
            """
            -- lockstep: foreign keys off
            -- lockstep: allow loss of table parent
            ALTER TABLE parent RENAME TO parent_old;
            CREATE TABLE parent (id INTEGER PRIMARY KEY, code TEXT UNIQUE);
            INSERT INTO parent SELECT * FROM parent_old;
            DROP TABLE parent_old;
            """),
        .init(
            .rowsLost, 5, ["child went from 4 rows to 0", "by: DROP TABLE parent"],
            """
            DROP VIEW codes;
            CREATE TABLE p2 (id INTEGER PRIMARY KEY, code TEXT UNIQUE);
            INSERT INTO p2 SELECT * FROM parent;
            DROP TABLE parent;
            ALTER TABLE p2 RENAME TO parent;
            """),
        .init(
            .rowsLost, 3, ["child went from 4 rows to 2", "by: DELETE FROM parent WHERE id = ?"],
            "-- lockstep: allow loss of table parent\nDELETE FROM parent WHERE id = 2;"),
        .init(
            .foreignKeysBroken, 3, ["1 row of child → parent has no parent", "by: INSERT"],
            "-- lockstep: foreign keys off\nINSERT INTO child VALUES (9, 4711);"),
        .init(
            .schemaBroken, 4, ["view codes cannot be used", "code"],
            "-- lockstep: rebuild table parent\n-- lockstep: drop column code\n"
                + "CREATE TABLE parent (id INTEGER PRIMARY KEY AUTOINCREMENT);"),
        .init(
            .migrationFailed, 3, ["NOT NULL constraint failed"],
            "-- lockstep: rebuild table child\n" + "CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER, "
                + "more TEXT NOT NULL DEFAULT (nullif('hunter2', 'hunter2')));"),
    ]

    @Test(
        "A refused or failed statement is reported with file, line and text",
        arguments: statements)
    func statement(bad: BadStatement) throws {
        let error = try refusal(of: Scratch.set(Self.first, Scratch.up(bad.sql)))
        #expect(error.code == bad.code, "\(error)")
        #expect(error.message.hasPrefix("test/0002_step.sql:\(bad.line): "), "\(error)")
        let context = error.context
        #expect(context.set == "test" && context.version == "2", "\(context)")
        #expect(context.file == "0002_step.sql" && context.line == bad.line, "\(context)")
        for part in bad.says { #expect(error.message.contains(part), "\(error)") }
        for value in ["hunter2", "4711"] { #expect(!"\(error)".contains(value)) }
    }

    @Test("A failed statement's place and SQLite's code are fields of the error")
    func context() throws {
        let error = try refusal(of: Scratch.set(Self.first, Scratch.up("INSERT INTO parent (code) VALUES ('a');")))
        #expect(
            error.context
                == .init(
                    file: "0002_step.sql", line: 2, set: "test", version: "2",
                    sqliteCode: 2067))
        #expect(error.context.sqliteCodeName == "SQLITE_CONSTRAINT_UNIQUE")
    }

    @Test("Lines are counted correctly in files with CRLF and a byte-order mark, too") func windowsFile() throws {
        let bad = Scratch.up("CREATE TABLE a (\n  x\n);\n\nNONSENSE;")
        let windows = "\u{FEFF}" + bad.replacing("\n", with: "\r\n")
        let error = try refusal(of: Scratch.set(Self.first, windows))
        #expect(error.message.hasPrefix("test/0002_step.sql:6: "), "\(error)")
        #expect(error.message.contains("NONSENSE"))
        let good = "\u{FEFF}" + Scratch.up("CREATE TABLE a (\n  x\n);").replacing("\n", with: "\r\n")
        #expect(try Migrator(Scratch.set(Self.first, good)).run(on: database.open()).steps.count == 1)
    }

    // MARK: Folders

    /// The folder's files and their defect, where version 1 is applied.
    static let folders: [(LockstepError.Code, [String], [(name: String, content: String)])] = [
        (
            .migrationMissing, ["test 1 (step) was applied, but its file is gone"],
            [("0002_next.sql", Scratch.up("CREATE TABLE a (x);"))]
        ),
        (
            .migrationChanged, ["0001_step.sql has changed since it was applied"],
            [
                ("0001_step.sql", first.replacing("TEXT", with: "BLOB")),
                ("0002_next.sql", Scratch.up("CREATE TABLE a (x);")),
            ]
        ),
        (
            .versionDuplicate, ["0002_mine.sql and 0002_theirs.sql both have version 2"],
            [
                ("0001_step.sql", first), ("0002_mine.sql", Scratch.up("CREATE TABLE a (x);")),
                ("0002_theirs.sql", Scratch.up("CREATE TABLE b (x);")),
            ]
        ),
    ]

    @Test(
        "A malformed folder stops everything before it begins", arguments: 0..<folders.count
    )
    func folder(index: Int) throws {
        let (code, says, files) = Self.folders[index]
        let error = try refusal(of: MigrationSet(name: "test", files: files))
        #expect(error.code == code, "\(error)")
        for part in says { #expect(error.message.contains(part), "\(error)") }
        #expect(error.context.set == "test")
        #expect(error.context.version == (code == .versionDuplicate ? "2" : "1"))
        #expect(error.context.file == (code == .migrationChanged ? "0001_step.sql" : nil))
    }

    @Test("A version from a late-merged branch is refused by its name")
    func lateBranch() throws {
        let newer = (name: "2024_newer.sql", content: Scratch.up("CREATE TABLE n (x);"))
        let older = (name: "2023_older.sql", content: Scratch.up("CREATE TABLE o (x);"))
        _ = try Migrator(MigrationSet(name: "branches", files: [newer])).run(on: database.open())
        let error = try refusal(of: MigrationSet(name: "branches", files: [older, newer]))
        #expect(error.code == .outOfOrder)
        #expect(error.message.contains("2023_older.sql was never applied, but version 2024"), "\(error)")
    }

    @Test("A reindented file, or one saved for Windows, is reported, and runs on")
    func reindented() throws {
        let indented = Self.first.replacing("CREATE", with: "\n  -- why\n    create")
        let windows = "\u{FEFF}" + Self.first.replacing("\n", with: "\r\n")
        for (file, what) in [(indented, "comments or white space"), (windows, "line endings")] {
            let before = try content()
            let report = try Migrator(Scratch.set(file)).run(on: database.open())
            #expect(report.steps.isEmpty)
            #expect(report.notices.map(\.code) == [.migrationChanged])
            #expect(report.notices.first?.message.contains("only in \(what)") == true)
            #expect(report.notices.first?.message.contains("0001_step.sql") == true)
            #expect(try content() == before)
        }
    }
}
