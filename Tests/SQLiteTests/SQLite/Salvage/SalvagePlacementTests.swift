import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Rows whose table is not certain, and what is reported of the whole.
@Suite("Salvage: the place of rows")
struct SalvagePlacementTests {
    private let salvage: SalvageScratch
    private var forge: PageForge { salvage.forge }

    init() throws { salvage = try SalvageScratch() }

    /// Makes the database, and closes it after `body`.
    private func create(_ statements: [String]) throws {
        let connection = try salvage.scratch.create()
        for sql in statements { try connection.execute(SQL(verbatim: sql)) }
    }

    private static func rows(of table: String, from first: Int = 1) -> String {
        """
        WITH RECURSIVE n (i) AS (SELECT \(first) UNION ALL SELECT i + 1 FROM n WHERE i < \(first + 199))
        INSERT INTO \(table) SELECT i, '\(table) ' || i || hex(zeroblob(100)) FROM n
        """
    }

    private func loseFirstPage() throws {
        try salvage.scratch.damage {
            $0.replaceSubrange(0..<4096, with: repeatElement(0, count: 4096))
        }
    }

    private func lost(_ columns: String) throws -> [String] {
        try salvage.openNew().query(
            "SELECT \(verbatim: columns) FROM lost_and_found ORDER BY 1"
        ) { try $0[0] as String? ?? "" }
    }

    @Test("While the schema is incomplete, no row is given to a table that could have it") func incomplete() throws {
        let room = String(repeating: "x", count: 150)
        // The last of many tables is on the last leaf of the schema.
        let other = (0..<60).map {
            "CREATE TABLE t\($0) (id INTEGER PRIMARY KEY, body TEXT CHECK (body <> '\(room)'))"
        }
        try create(other + ["INSERT INTO t0 VALUES (1, 'of t0')", Self.rows(of: "t59")])
        let last = PageForge.word(try forge.plain(1), at: 108)
        #expect(try salvage.root(of: "t0") > 1 && last > 1)
        // t0 has lost its only page, and the definition of t59 is gone.
        try forge.damage(last, salvage.root(of: "t0"))
        let report = try salvage.salvage()
        #expect(report.isSchemaIncomplete && report.tables.allSatisfy { $0.rows == 0 })
        #expect(report.lostAndFound?.rows == 200)
        #expect(try lost("substr(c1, 1, 4)") == [String](repeating: "t59 ", count: 200))
    }

    @Test("A schema of which nothing can be read still gives every row, with page and cell") func unreadable() throws {
        let rows = try salvage.fill(rows: 500)
        let page = try #require(forge.pages(ofKind: 13).first { try !forge.markers([250], on: $0).isEmpty })
        let cell = try forge.markers(Array(1...500), on: page).sorted().firstIndex(of: 250)
        try loseFirstPage()
        let report = try salvage.salvage()
        #expect(report.tables == [] && report.isSchemaIncomplete && !report.isComplete)
        let found = try salvage.openNew().query(
            "SELECT rowid, c1 FROM lost_and_found WHERE c1 LIKE '#%'"
        ) { (try $0[0] as Int, try $0[1] as String) }
        #expect(Dictionary(uniqueKeysWithValues: found) == rows)
        let place = try salvage.openNew().query(
            "SELECT origin_page, origin_cell FROM lost_and_found WHERE rowid = 250 AND c1 LIKE '#%'"
        ) { [try $0[0] as Int, try $0[1] as Int] }
        #expect(try place == [[page, #require(cell)]])
    }

    @Test("Migrations or a file of definitions give the tables back", arguments: [true, false])
    func supplied(byMigrations: Bool) throws {
        let statements = [
            "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT)",
            "CREATE TABLE born (id INTEGER PRIMARY KEY, place TEXT, year INTEGER NOT NULL)",
            "CREATE TRIGGER t AFTER INSERT ON born BEGIN SELECT CASE new.id WHEN 1 THEN 2 END; END",
        ]
        try create(statements + [Self.rows(of: "person"), "INSERT INTO born SELECT id, name, 1900 + id FROM person"])
        try loseFirstPage()
        var job = Salvage(salvage.scratch.path, into: salvage.target)
        let text = statements.joined(separator: ";\n") + ";\n"
        if byMigrations {
            try job.takeSchema(from: [MigrationSet(name: "people", files: [(name: "0001_people.sql", content: text)])])
        } else {
            let file = salvage.scratch.folder.file("schema.sql")
            try Bytes.write(
                Array("PRAGMA x=1;\n\(text)CREATE TABLE sqlite_sequence(name,seq);".utf8),
                to: file)
            try job.takeSchema(fromSQL: file)
        }
        let report = try job.run(key: salvage.scratch.key(), newKey: salvage.scratch.key(2))
        #expect(try report.table("born").rowsFoundByContent == 200, "\(report)")
        // No row of the second table can lack its year.
        #expect(try report.table("person").rowsFoundByContent == 200, "\(report)")
        #expect(!report.isComplete)
        let joined = "SELECT count(*) FROM born JOIN person USING (id)" as SQL
        #expect(try salvage.openNew().value(joined) == 200)
    }

    @Test("Sequences go on, whichever table came first")
    func sequences() throws {
        try create([
            "CREATE TABLE first (id INTEGER PRIMARY KEY AUTOINCREMENT)",
            "CREATE TABLE second (id INTEGER PRIMARY KEY AUTOINCREMENT)", "DROP TABLE first",
            "INSERT INTO second VALUES (41), (42)", "DELETE FROM second",
        ])
        #expect(try salvage.salvage().isComplete)
        let connection = try salvage.openNew()
        try connection.execute("INSERT INTO second DEFAULT VALUES")
        #expect(try connection.value("SELECT id FROM second") == 43)
    }

    @Test("A counter of a table that is gone is no loss")
    func sequenceOfNone() throws {
        try create(["CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT)", "DROP TABLE a"])
        let report = try salvage.salvage()
        #expect(report.isComplete && report.failures == [], "\(report)")
    }

    @Test("A file without definitions, and one with a broken one, are refused")
    func refused() throws {
        let file = salvage.scratch.folder.file("schema.sql")
        var job = Salvage(salvage.scratch.path, into: salvage.target)
        try Bytes.write(Array("INSERT INTO t VALUES (1);".utf8), to: file)
        Refusal.expect(.malformedInput) { try job.takeSchema(fromSQL: file) }
        try Bytes.write(Array("CREATE TABLE t (a, a);".utf8), to: file)
        Refusal.expect(.sqlFailed) { try job.takeSchema(fromSQL: file) }
        #expect(job.schema == [])
    }

    @Test("A row that its table refuses is kept, with the name of the table")
    func kept() throws {
        try create(["CREATE TABLE t (a TEXT UNIQUE)", "INSERT INTO t VALUES ('aa'), ('ab'), ('ac')"])
        try forge.change(salvage.root(of: "t")) { page in
            let at = try #require(page.indices.first { page[$0...].starts(with: "ac".utf8) })
            page.replaceSubrange(at..<(at + 2), with: "aa".utf8)
        }
        let report = try salvage.salvage()
        #expect(try report.table("t").refusedRows == 1 && !report.isComplete)
        #expect(try lost("origin_table || ' ' || c0") == ["t aa"])
    }

    @Test("Pages that verify and contradict each other are not everything")
    func inconsistent() throws {
        let rows = try salvage.fill(rows: 500)
        let leaf = try #require(forge.pages(ofKind: 13).first { $0 > 1 })
        // The page as it was before its last rows: only the count in its header differs.
        try forge.change(leaf) { page in page[4] -= 2 }
        let report = try salvage.salvage()
        #expect(try salvage.rows().count == rows.count - 2)
        #expect(try report.table("item").isComplete && !report.isComplete)
        #expect(report.inconsistencies == ["item has 498 rows, but its index by_number leads to 500"])
        #expect(report.description.contains("contradicts itself: item has 498 rows"))
    }

    @Test("Rows out of order, and a page are reported")
    func disordered() throws {
        let rows = try salvage.fill(rows: 500)
        let leaf = try #require(forge.pages(ofKind: 13).first { $0 > 1 })
        try forge.change(leaf) { page in page.swapAt(9, 11) }
        let report = try salvage.salvage()
        #expect(try salvage.rows() == rows)
        #expect(report.inconsistencies == ["item: rows are out of order on \(leaf)"])
    }
}
