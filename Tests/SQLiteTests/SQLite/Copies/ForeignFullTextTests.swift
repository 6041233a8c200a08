import SystemPackage
import Testing

@testable import EngineTestSupport
@testable import Lockstep

private let hasFullText = (try? Connection.inMemory().value("SELECT sqlite_compileoption_used('ENABLE_FTS5')")) == 1

/// Full-text tables in files from other programs: the data that they keep beside their texts can be crafted, and FTS5
/// never reads it.
@Suite("Full-text tables from other programs", .enabled(if: hasFullText, "no FTS5")) struct ForeignFullTextTests {
    /// A table with an invalid index, and a vocabulary over it.
    private static let crafted = [
        "CREATE VIRTUAL TABLE docs USING \"FTS5\"(title, text, prefix='2')",
        "CREATE VIRTUAL TABLE words USING fts5vocab(docs, row)",
        """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO docs (rowid, title, text) SELECT i * 2, 'title' || i, 'common word' || (i % 7) FROM n
        """,
        "INSERT INTO docs (docs, rank) VALUES ('rank', 'bm25(10.0, 5.0)')",
        "UPDATE docs_data SET block = randomblob(120)",
        "UPDATE docs_idx SET pgno = 7654321",
        "UPDATE docs_docsize SET sz = randomblob(40)", "INSERT INTO docs_config VALUES ('nonsense', zeroblob(3))",
    ]

    private static let found = "SELECT count(*) FROM docs WHERE docs MATCH 'word3'"

    private func expectSearchable(_ connection: borrowing Connection) throws {
        #expect(try connection.value(SQL(verbatim: Self.found)) == 43)
        #expect(try connection.value("SELECT title FROM docs WHERE docs MATCH 'title17'") == "title17")
        // The setting was copied.
        #expect(try connection.value("SELECT v FROM docs_config WHERE k = 'rank'") == "bm25(10.0, 5.0)")
        try connection.execute("INSERT INTO docs (docs) VALUES ('integrity-check')")
        try IntegrityPragma.require(connection)
    }

    private func craft(_ path: FilePath, key: String?) throws {
        let database = try RawDatabase(path, key: key)
        for statement in Self.crafted { try database.run(statement) }
    }

    @Test("On adoption the texts get a new index, and the crafted one is discarded")
    func adopted() throws {
        let scratch = try CopyScratch()
        try craft(scratch.old.path, key: nil)
        let report = try scratch.adopt()
        #expect(report.copy.rows["docs_content"] == nil)
        try expectSearchable(scratch.new.open())
        // The control: FTS5 reports that the original is corrupt.
        let original = try RawDatabase(scratch.old.path, key: nil)
        #expect(throws: (any Error).self) { try original.run(Self.found) }
    }

    @Test("Salvage does the same")
    func salvaged() throws {
        let salvage = try SalvageScratch()
        try salvage.scratch.create().execute("CREATE TABLE other (a)")
        try craft(salvage.scratch.path, key: RawDatabase.keyspec)
        let report = try salvage.salvage()
        #expect(report.failures == [])
        try expectSearchable(salvage.openNew())
    }

    @Test(
        "A restored file equals its backup; its index is not examined, but verify finds it",
        arguments: [
            "randomblob(120)",
            // A structure record whose one level has 2,147,483,647 segments: FTS5 asks for memory for all of them.
            "X'000000000101000087FFFFFF7F000000'",
        ])
    func restored(_ block: String) throws {
        let (backup, scratch) = (try DatabaseScratch("backup.db"), try DatabaseScratch())
        try backup.create().execute("CREATE TABLE other (a)")
        try craft(backup.path, key: RawDatabase.keyspec)
        try RawDatabase(backup.path, key: RawDatabase.keyspec)
            .run("UPDATE docs_data SET block = \(block)")
        _ = try backup.open().checkpoint(.truncate)
        try Restore(scratch.path, from: backup.path).run(key: scratch.key(2), backupKey: backup.key())
        let restored = try Connection.open(scratch.path, key: scratch.key(2))
        Refusal.expect(.damaged) { try IntegrityPragma.require(restored) }
    }

    @Test(
        "A table that keeps no texts is refused, and the error names a way out",
        arguments: ["", ", columnsize=0"])
    func contentless(_ options: String) throws {
        let scratch = try CopyScratch()
        try scratch.makePlaintext(
            "CREATE VIRTUAL TABLE docs USING fts5(text, content=''\(options))",
            "INSERT INTO docs (rowid, text) VALUES (3, 'one common'), (9, 'two common')")
        let error = try scratch.expectRefusal(.denied)
        #expect(error?.message.contains("full-text table docs keeps no texts") == true)
        #expect(error?.hint?.contains("drop the table") == true)
    }

    @Test("A setting that FTS5 refuses is an error; the table is not created without it") func setting() throws {
        let scratch = try CopyScratch()
        try scratch.makePlaintext(
            "CREATE VIRTUAL TABLE docs USING fts5(text)", "INSERT INTO docs VALUES ('one')",
            "INSERT INTO docs_config VALUES ('pgsz', -5), ('unknown', 1)")
        try scratch.expectRefusal(.sqlFailed)
    }

    @Test("While full text is disabled, nothing reads, searches or writes a full-text table") func closed() throws {
        let scratch = try DatabaseScratch()
        try scratch.create().execute("CREATE VIRTUAL TABLE docs USING fts5(text)")
        try scratch.open().execute("CREATE VIRTUAL TABLE words USING fts5vocab(docs, row)")
        var options = ConnectionOptions()
        options.closesFullText = true
        let connection = try scratch.open(options)
        for sql in [
            "SELECT * FROM docs", "SELECT * FROM docs WHERE docs MATCH 'a'", "SELECT * FROM words",
            "INSERT INTO docs VALUES ('a')", "INSERT INTO docs (docs) VALUES ('rebuild')",
            "CREATE VIRTUAL TABLE more USING fts5(text)", "DROP TABLE docs", "SELECT fts5(NULL)",
            "SELECT bm25(docs) FROM docs", "ALTER TABLE docs RENAME TO other",
        ] {
            #expect(throws: LockstepError.self, "\(sql)") {
                _ = try connection.query(SQL(verbatim: sql)) { _ in }
            }
        }
        try IntegrityPragma.require(connection)
        _ = try connection.query("PRAGMA table_list") { _ in }
        #expect(connection.core.disabledFTS5?.tables == ["docs"])
    }
}
