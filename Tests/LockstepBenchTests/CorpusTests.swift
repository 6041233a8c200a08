import Lockstep
import SystemPackage
import TestSupport
import Testing

@testable import BenchKit
@testable import LockstepBench

@Suite("The measured migrations")
struct CorpusTests {
    @Test("The corpus is the same everywhere, and a smaller one is its beginning") func deterministic() {
        let all = MigrationCorpus.migrations(300)
        #expect(all == MigrationCorpus.migrations(300))
        #expect(MigrationCorpus.migrations(80) == Array(all.prefix(80)))
        #expect(Set(all.flatMap(\.statements)).count > 300)
    }

    @Test("All kinds occur, in about their shares")
    func kinds() {
        let statements = MigrationCorpus.migrations(700).map {
            $0.statements.joined(separator: "; ")
        }
        for (word, least) in [
            ("CREATE TABLE", 130), ("ADD COLUMN", 140), ("CREATE INDEX", 120), ("DROP TABLE", 30),
            ("CREATE TRIGGER", 30), ("CREATE VIEW", 20), ("INSERT INTO", 30), ("REFERENCES", 80),
        ] {
            #expect(statements.count { $0.contains(word) } >= least, "\(word)")
        }
    }

    /// The answers are those of the peer in C, on the files that sql-migrate, yoyo, alembic and sqitch
    /// created.
    @Test(
        "Every peer computes this digest",
        arguments: [(1, "23971b7b757c7ed4"), (700, "d749297c938c239d")])
    func digest(_ count: Int, _ answer: String) throws {
        #expect(try CorpusDigest.expected(MigrationCorpus.migrations(count)) == answer)
    }

    @Test("Our own form, with directives, makes the same schema as the plain statements") func native() throws {
        let migrations = MigrationCorpus.migrations(150)
        let files = migrations.enumerated().map { index, migration in
            (name: "\(index + 1)_\(migration.name).sql", content: CorpusFolder.content(of: migration, index, .native))
        }
        let db = try Connection.inMemory()
        let report = try Migrator(MigrationSet(name: "corpus", files: files)).run(on: db)
        #expect(report.steps.count == 150)
        var hash = RowHash()
        try CorpusDigest.add(db, to: &hash)
        #expect(try hash.hex == CorpusDigest.expected(migrations))
    }

    @Test("A missing table, a lost row or another definition shows in the digest") func differences() throws {
        func digest(_ sql: String) throws -> String {
            let db = try Connection.inMemory()
            try db.run(script: "CREATE TABLE a (x);\nINSERT INTO a VALUES (1);\n\(sql)")
            var hash = RowHash()
            try CorpusDigest.add(db, to: &hash)
            return hash.hex
        }
        let plain = try digest("")
        #expect(try digest("CREATE TABLE sqliteXlike (x)") != plain)
        #expect(try digest("DELETE FROM a") != plain)
        #expect(try digest("CREATE INDEX i ON a (x)") != plain)
        #expect(try digest("DROP TABLE a;\nCREATE TABLE a (x TEXT);\nINSERT INTO a VALUES (1)") != plain)
        // Renaming adds quotes; the tools' own tables do not count.
        let renamed = "ALTER TABLE a RENAME TO b;\nALTER TABLE b RENAME TO a"
        #expect(try digest(renamed) == plain)
        #expect(try digest("CREATE TABLE gorp_migrations (id);\nCREATE TABLE alembic_version (v)") == plain)
    }

    @Test("Every tool gets its files, in the order of their versions")
    func folder() throws {
        let folder = try TemporaryFolder()
        let migrations = MigrationCorpus.migrations(12)
        try CorpusFolder.write(migrations, to: folder.file("corpus"))
        let set = try MigrationSet(folder: folder.file("corpus/native"))
        #expect(set.files.map(\.name) == migrations.map(\.name))
        for form in CorpusFolder.Form.allCases {
            let last = "corpus/\(form.scripts)/0012_\(migrations[11].name).\(form.ending)"
            let text = String(decoding: try Bytes.read(folder.file(last)), as: UTF8.self)
            #expect(text == CorpusFolder.content(of: migrations[11], 11, form))
        }
    }

    @Test("Statements that contain semicolons are marked for the tool that would split there") func forms() {
        let trigger = CorpusMigration(
            name: "t", statements: ["CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END"], directives: nil)
        let marked = CorpusFolder.content(of: trigger, 4, .sqlMigrate)
        #expect(marked.contains("StatementBegin\nCREATE TRIGGER"))
        let rebuild = CorpusMigration(name: "r", statements: ["DROP TABLE t"], directives: "-- x")
        #expect(CorpusFolder.content(of: rebuild, 4, .plain).hasPrefix("-- foreign keys off\n"))
        #expect(CorpusFolder.content(of: rebuild, 4, .native) == "-- lockstep: up\n-- x;\n")
        let alembic = CorpusFolder.content(of: rebuild, 4, .alembic)
        #expect(alembic.contains("revision = \"0005\"\ndown_revision = \"0004\""))
        #expect(CorpusFolder.content(of: rebuild, 0, .alembic).contains("down_revision = None"))
    }

    @Test("sqitch finds a project: a plan in the order of the versions, and no two scripts alike")
    func sqitch() throws {
        let folder = try TemporaryFolder()
        func text(_ name: String) throws -> String {
            String(decoding: try Bytes.read(folder.file("corpus/sqitch/\(name)")), as: UTF8.self)
        }
        let same = CorpusMigration(name: "t", statements: ["DELETE FROM a"], directives: nil)
        try CorpusFolder.write([same, same], to: folder.file("corpus"))
        #expect(try text("sqitch.conf") == "[core]\n\tengine = sqlite\n")
        let planner = "2020-01-01T00:00:00Z Lockstep <bench@lockstep.invalid>"
        #expect(
            try text("sqitch.plan") == """
                %syntax-version=1.0.0
                %project=corpus

                0001_t \(planner)
                0002_t \(planner)

                """)
        #expect(
            try text("deploy/0002_t.sql") == """
                -- Deploy corpus:0002_t to sqlite

                BEGIN;

                DELETE FROM a;

                COMMIT;

                """)
        #expect(try text("deploy/0001_t.sql") != text("deploy/0002_t.sql"))
    }

    @Test("A folder that cannot be written is reported")
    func unwritable() throws {
        let folder = try TemporaryFolder()
        try folder.write("corpus", "a file")
        let error = #expect(throws: BenchError.self) {
            try CorpusFolder.write(MigrationCorpus.migrations(1), to: folder.file("corpus"))
        }
        #expect(error?.message.contains("cannot be written") == true)
    }
}
