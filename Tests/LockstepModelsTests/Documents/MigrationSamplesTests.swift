import Lockstep
import SystemPackage
import TestSupport
import Testing

@Suite("The samples about migrations")
struct MigrationSamplesTests {
    private static let first = """
        -- lockstep: up
        CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT, made TEXT);
        -- lockstep: down
        -- lockstep: allow loss of table note
        DROP TABLE note;
        """
    private static let second = """
        -- lockstep: up
        ALTER TABLE note ADD COLUMN made_at INTEGER;
        -- lockstep: down
        ALTER TABLE note DROP COLUMN made_at;
        """

    /// A database at the first of two versions, with a row.
    private func notes() throws -> SampleFolder {
        let sample = try SampleFolder()
        try sample.write("Migrations/notes", ["0001_note.sql": Self.first])
        try sample.database("notes", sets: [MigrationSet(folder: sample.folder.file("Migrations/notes"))])
        let connection = try self.connection(sample)
        try connection.execute("INSERT INTO note (text, made) VALUES ('bread', '1346186100')")
        try sample.write("Migrations/notes", ["0002_made_at.sql": Self.second])
        return sample
    }

    private func keyring(_ sample: SampleFolder) throws -> Keyring {
        try KeyringFile.database(beside: sample.folder.file("notes.db")).open { _ in
            try KeyFile.read(sample.folder.file("my.key"))
        }
    }

    private func connection(_ sample: SampleFolder) throws -> Connection {
        try Connection.open(sample.folder.file("notes.db"), key: keyring(sample).activeDatabaseKey())
    }

    @Test("A program migrates its store when it starts")
    func store() async throws {
        let sample = try notes()
        let folder = sample.folder
        // sample: Migrating.md
        let notes = try MigrationSet(folder: folder.file("Migrations/notes"))
        let store = try await Store.open(
            folder.file("notes.db"), key: .keyFile(folder.file("my.key")), migrations: notes)
        // end
        let rows = try await store.read { db in
            try db.query("SELECT made_at FROM note", as: Int?.self)
        }
        #expect(rows == [nil])
    }

    @Test("A version is written in Swift")
    func code() throws {
        let sample = try notes()
        try sample.write("Migrations/notes", ["0003_tag.sql": "-- lockstep: up\nCREATE TABLE tag (name);"])
        let folder = sample.folder
        let parse: @Sendable (String) -> Int? = { Int($0) }
        // sample: Migrating.md
        let set = try MigrationSet(folder: folder.file("Migrations/notes")).adding(
            CodeMigration(version: MigrationVersion(4), name: "parse dates") { connection in
                for (id, text) in try connection.query("SELECT id, made FROM note", as: (Int, String).self) {
                    try connection.execute("UPDATE note SET made_at = ? WHERE id = ?", parse(text), id)
                }
            })
        // end
        let connection = try self.connection(sample)
        _ = try Migrator(set).run(on: connection)
        let date = try connection.value("SELECT made_at FROM note", as: Int.self)
        #expect(date == 1_346_186_100)
    }

    @Test("A backfill runs as it is shown")
    func backfill() throws {
        let sample = try notes()
        let shown = try #require(Samples.shown(in: "Sources/Lockstep/Lockstep.docc/Migrating.md", "sql").first)
        try sample.write("Migrations/notes", ["0002_made_at.sql": shown])
        let connection = try self.connection(sample)
        _ = try Migrator(MigrationSet(folder: sample.folder.file("Migrations/notes"))).run(on: connection)
        let size = try connection.value("SELECT size FROM note", as: Int.self)
        #expect(size == 5)
    }

    @Test("A rehearsal")
    func rehearsal() throws {
        let sample = try notes()
        let folder = sample.folder
        let set = try MigrationSet(folder: folder.file("Migrations/notes"))
        // sample: MigratingSafely.md
        let access = try DatabaseAccess(to: folder.file("notes.db"), key: .keyFile(folder.file("my.key")))
        let report = try Rehearsal(of: folder.file("notes.db"), sets: [set]).run(access)
        if let failure = report.failure { print("this would fail: \(failure)") }
        // end
        #expect(report.isClean && report.steps.map(\.name) == ["made_at"])
    }

    @Test("A safe migration, with the program's own check")
    func safe() throws {
        struct Empty: Error {}
        let sample = try notes()
        let folder = sample.folder
        let set = try MigrationSet(folder: folder.file("Migrations/notes"))
        // sample: MigratingSafely.md
        var migration = SafeMigration(of: folder.file("notes.db"), sets: [set])
        migration.check = { db in
            guard try db.value("SELECT count(*) FROM note", as: Int.self) ?? 0 > 0 else {
                throw Empty()
            }
        }
        try migration.run(DatabaseAccess(to: folder.file("notes.db"), key: .keyFile(folder.file("my.key"))))
        // end
        let connection = try self.connection(sample)
        let rows = try connection.query("SELECT made_at FROM note", as: Int?.self)
        #expect(rows == [nil])
    }

    @Test("A folder of another tool is detected")
    func layouts() throws {
        let sample = try SampleFolder()
        try sample.write(
            "db/migrations", ["00001_item.sql": "-- +goose Up\nCREATE TABLE a (x);\n-- +goose Down\nDROP TABLE a;\n"])
        let folder = sample.folder
        // sample: FoldersOfOtherTools.md
        let set = try MigrationSet(folder: folder.file("db/migrations"))  // detected from the files
        let named = try MigrationSet(folder: folder.file("db/migrations"), layout: .goose)
        // end
        #expect(set.layout == named.layout && set.files == named.files)
    }

    @Test("A loss is declared outside of the files")
    func declaration() throws {
        let sample = try SampleFolder()
        try sample.write(
            "db/migrations",
            [
                "20240101000000_make.sql": """
                -- migrate:up
                CREATE TABLE credentials (x);
                INSERT INTO credentials VALUES (1);
                -- migrate:down
                DROP TABLE credentials;
                """,
                "20240206120000_drop.sql": """
                -- migrate:up
                DROP TABLE credentials;
                -- migrate:down
                CREATE TABLE credentials (x);
                """,
            ])
        let folder = sample.folder
        // swift-format-ignore
        // sample: FoldersOfOtherTools.md
        let set = try MigrationSet(folder: folder.file("db/migrations"))
            .declaring("allow loss of table credentials", at: MigrationVersion(20240206120000))
        // end
        let connection = try Connection.inMemory()
        let report = try Migrator(set).run(on: connection)
        #expect(report.steps.count == 2 && !report.notices.isEmpty)
    }

    @Test("A verification in depth")
    func verification() throws {
        let sample = try notes()
        let folder = sample.folder
        let keyring = try self.keyring(sample)
        let sets = [try MigrationSet(folder: folder.file("Migrations/notes"))]
        try Store.open(folder.file("notes.db"), rawKey: keyring.activeDatabaseKey()).blocking
            .migrate(
                sets[0])
        // sample: ProvingADatabase.md
        var verification = Verification(folder.file("notes.db"), sets: sets)
        verification.isDeep = true
        let access = try DatabaseAccess(to: folder.file("notes.db"), key: .keyFile(folder.file("my.key")))
        let report = try verification.run(access)
        for outcome in report.outcomes where outcome.hasFailed { print(outcome.summary) }
        // end
        #expect(report.isClean)
    }
}
