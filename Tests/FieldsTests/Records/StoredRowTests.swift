import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// `insert` and `save` return the row as it is stored at the end of the statement, whatever changed it meanwhile.
@Suite("Returned records are the rows that are stored")
struct StoredRowTests {
    struct Page: Record, Equatable {
        var id: Int64?
        var title: String
        var slug: String?
    }

    /// The same by a key of texts.
    struct Tag: Record, Equatable {
        static let primaryKey = ["name"]
        var name: String
        var slug: String?
    }

    private static let slug = """
        CREATE TRIGGER slug_inserted AFTER INSERT ON page BEGIN
            UPDATE page SET slug = lower(new.title) WHERE id = new.id;
        END;
        CREATE TRIGGER slug_updated AFTER UPDATE OF title ON page BEGIN
            UPDATE page SET slug = lower(new.title) WHERE id = new.id;
        END;
        """

    private static func database(_ script: String) throws -> Connection {
        let db = try Connection.inMemory()
        try db.run(script: script)
        return db
    }

    @Test(
        "What AFTER triggers made of a row is returned",
        arguments: [
            "CREATE TABLE page (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, slug TEXT);",
            "CREATE TABLE page (id INTEGER PRIMARY KEY, title TEXT, slug TEXT, rowid TEXT);",
            "CREATE TABLE page (id INT NOT NULL PRIMARY KEY, title TEXT, slug TEXT) WITHOUT ROWID;",
            "CREATE TABLE page (id INT PRIMARY KEY, title TEXT, slug TEXT);",
        ])
    func triggers(table: String) throws {
        let db = try Self.database(table + Self.slug)
        let first = try db.insert(Page(id: 4, title: "Big Sur"))
        #expect(first == Page(id: 4, title: "Big Sur", slug: "big sur"))
        #expect(try db.find(Page.self, 4) == first)
        let changed = try db.save(Page(id: 4, title: "M"))
        #expect(changed == Page(id: 4, title: "M", slug: "m"))
        #expect(try db.save(Page(id: 5, title: "N")) == Page(id: 5, title: "N", slug: "n"))
        // What was returned can be written back without a change.
        try db.update(changed)
        #expect(try db.find(Page.self, 4) == changed)
        #expect(try !db.updateChanges(changed, from: changed))
    }

    @Test("With a number that SQLite gives, and inside a transaction, too")
    func numbers() throws {
        let db = try Self.database(
            "CREATE TABLE page (id INTEGER PRIMARY KEY, title TEXT NOT NULL, slug TEXT);"
                + Self.slug
                    // Another row gets the last number meanwhile.
                    + """
                    CREATE TABLE log (id INTEGER PRIMARY KEY, page INTEGER);
                    INSERT INTO log VALUES (900, 0);
                    CREATE TRIGGER logged AFTER INSERT ON page BEGIN INSERT INTO log (page) VALUES (new.id); END;
                    """)
        #expect(try db.insert(Page(title: "A")) == Page(id: 1, title: "A", slug: "a"))
        #expect(try db.save(Page(title: "B")) == Page(id: 2, title: "B", slug: "b"))
        try db.write { db in
            let third = try db.insert(Page(title: "C"))
            #expect(third == Page(id: 3, title: "C", slug: "c"))
        }
    }

    @Test(
        "A trigger that is made later counts, in the temporary schema, too",
        arguments: ["", "TEMP"])
    func later(temporary: String) throws {
        let db = try Self.database("CREATE TABLE page (id INTEGER PRIMARY KEY, title TEXT NOT NULL, slug TEXT);")
        try db.write { db in
            #expect(try db.insert(Page(title: "A")).slug == nil)
            try db.run(
                script: """
                    CREATE \(temporary) TRIGGER slug AFTER INSERT ON main.page BEGIN
                        UPDATE page SET slug = 'made' WHERE id = new.id;
                    END;
                    """)
            #expect(try db.insert(Page(title: "B")) == Page(id: 2, title: "B", slug: "made"))
        }
        #expect(try db.insert(Page(title: "C")).slug == "made")
    }

    @Test("What the action of a foreign key made of a row is returned")
    func foreignKeys() throws {
        let db = try Self.database(
            """
            CREATE TABLE tag (name TEXT PRIMARY KEY NOT NULL, slug TEXT UNIQUE);
            CREATE TABLE child (slug TEXT REFERENCES tag (slug) ON UPDATE CASCADE, tag TEXT);
            CREATE TRIGGER followed AFTER UPDATE ON child BEGIN
                UPDATE tag SET slug = 'seen ' || new.slug WHERE name = new.tag AND slug NOT LIKE 'seen%';
            END;
            INSERT INTO tag VALUES ('x', 'one');
            INSERT INTO child VALUES ('one', 'x');
            """)
        #expect(try db.save(Tag(name: "x", slug: "two")) == Tag(name: "x", slug: "seen two"))
        #expect(try db.find(Tag.self, "x")?.slug == "seen two")
    }

    @Test("A row that a trigger leaves out or removes is an error, and never another row") func leftOut() throws {
        let table = "CREATE TABLE page (id INTEGER PRIMARY KEY, title TEXT NOT NULL, slug TEXT);"
        let ignoring = try Self.database(
            table + "INSERT INTO page (title) VALUES ('other');"
                + "CREATE TRIGGER no BEFORE INSERT ON page BEGIN SELECT RAISE(IGNORE); END;")
        Refusal.expect(.rowMissing) { try ignoring.insert(Page(title: "A")) }
        let removing = try Self.database(
            table + "CREATE TRIGGER no AFTER INSERT ON page BEGIN DELETE FROM page WHERE id = new.id; END;")
        Refusal.expect(.misuse) { try removing.insert(Page(title: "A")) }
        try removing.insert(all: [Page(title: "A")])
        #expect(try removing.count(Page.self) == 0)
    }
}
