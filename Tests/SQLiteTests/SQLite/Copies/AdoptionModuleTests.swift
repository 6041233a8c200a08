import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Virtual tables of the modules in the linked SQLCipher.
@Suite("Adoption: virtual tables")
struct AdoptionModuleTests {
    private let scratch: CopyScratch

    init() throws { scratch = try CopyScratch() }

    private static func has(_ option: String) -> Bool {
        (try? Connection.inMemory().value("SELECT sqlite_compileoption_used(?)", option)) == 1
    }

    private static let words = """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO docs (rowid, text) SELECT i * 3, 'word' || i || ' common ' || (i % 7) FROM n;
        DELETE FROM docs WHERE rowid % 5 = 0;
        """

    @Test(
        "A full-text table is adopted with its index, in each of its forms",
        .enabled(if: has("ENABLE_FTS5"), "no FTS5"),
        arguments: ["", ", prefix='2 3'", ", tokenize='porter'", ", detail=none"])
    func fts5(_ options: String) throws {
        try scratch.makePlaintext("CREATE VIRTUAL TABLE docs USING fts5(text\(options));", Self.words)
        try scratch.adoptWhole([
            "SELECT group_concat(rowid) FROM docs WHERE docs MATCH 'common'"
        ])
        let connection = try scratch.new.open()
        try connection.execute("INSERT INTO docs (rowid, text) VALUES (90000, 'fresh common')")
        #expect(try connection.value("SELECT rowid FROM docs WHERE docs MATCH 'fresh'") == 90_000)
        try connection.execute("INSERT INTO docs (docs) VALUES ('integrity-check')")
    }

    @Test(
        "A full-text table over another one is adopted with the triggers that feed it",
        .enabled(if: has("ENABLE_FTS5"), "no FTS5"), arguments: ["notes", "docs_content"])
    func external(_ table: String) throws {
        try scratch.makePlaintext(
            """
            CREATE TABLE \(table) (id INTEGER PRIMARY KEY, text);
            CREATE VIRTUAL TABLE docs USING fts5(text, content='\(table)', content_rowid='id');
            CREATE TRIGGER feed AFTER INSERT ON \(table) BEGIN
                INSERT INTO docs (rowid, text) VALUES (new.id, new.text); END;
            INSERT INTO \(table) VALUES (5, 'alpha beta'), (9, 'beta');
            """)
        try scratch.adoptWhole([
            "SELECT rowid || text FROM docs WHERE docs MATCH 'beta'", "SELECT id || text FROM \(table)",
        ])
    }

    @Test(
        "An R-tree is adopted from pages of any size", .enabled(if: has("ENABLE_RTREE"), "no R-tree"),
        arguments: [512, 1024, 4096, 65_536])
    func rtree(pageSize: Int) throws {
        try scratch.makePlaintext(
            "PRAGMA page_size = \(pageSize); VACUUM;",
            """
            CREATE VIRTUAL TABLE place USING rtree(id, minx, maxx, miny, maxy);
            WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
            INSERT INTO place SELECT i, i, i + 1, -i, i FROM n;
            """)
        try scratch.adoptWhole(["SELECT id || minx || maxy FROM place WHERE minx > 100 ORDER BY id"])
        let connection = try scratch.new.open()
        try connection.execute("INSERT INTO place VALUES (900, 1, 2, 1, 2)")
        #expect(try IntegrityPragma.faults(connection, limit: 1) == [])
    }

    @Test(
        "The older full-text modules are adopted too", .enabled(if: has("ENABLE_FTS3"), "no FTS3"),
        arguments: ["fts3(text)", "fts4(text)", "fts4(text, prefix='1', notindexed=text)"])
    func fts3(_ module: String) throws {
        try scratch.makePlaintext("CREATE VIRTUAL TABLE docs USING \(module);", Self.words)
        var queries = ["SELECT rowid || text FROM docs"]
        if !module.contains("notindexed") {
            queries.append("SELECT rowid || text FROM docs WHERE docs MATCH 'common'")
        }
        try scratch.adoptWhole(queries)
        try scratch.new.open().execute("INSERT INTO docs (docs) VALUES ('integrity-check')")
    }

    @Test("An r-tree is adopted, with many nodes", .enabled(if: has("ENABLE_RTREE"), "no r-trees"))
    func rtree() throws {
        try scratch.makePlaintext(
            """
            CREATE VIRTUAL TABLE box USING rtree(id, x0, x1, y0, y1, +name);
            WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO box SELECT i, i, i + 1, i % 50, i % 50 + 1, 'n' || i FROM n;
            """)
        try scratch.adoptWhole([
            "SELECT id || name FROM box WHERE x0 > 500 AND x1 < 900 AND y0 > 10 ORDER BY id",
            "SELECT rtreecheck('box')",
        ])
    }

    @Test(
        "In UTF-16, a full-text table finds the same rows as before",
        .enabled(if: has("ENABLE_FTS5"), "no FTS5"))
    func encoding() throws {
        try scratch.makePlaintext(
            "PRAGMA encoding = 'UTF-16be'", "CREATE VIRTUAL TABLE docs USING fts5(text);",
            "INSERT INTO docs VALUES ('Grüße aus Köln'), ('日本 語'), ('nichts')")
        try scratch.adoptWhole([
            "SELECT rowid || text FROM docs WHERE docs MATCH 'köln'",
            "SELECT rowid || text FROM docs WHERE docs MATCH '日本'",
        ])
    }
}
