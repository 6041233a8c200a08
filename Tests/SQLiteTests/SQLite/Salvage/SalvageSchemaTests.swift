import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Salvage: schemas")
struct SalvageSchemaTests {
    private let salvage: SalvageScratch
    private var forge: PageForge { salvage.forge }

    init() throws { salvage = try SalvageScratch() }

    /// Makes the database, and closes it after `body`.
    private func create(_ body: (borrowing Connection) throws -> Void) throws {
        let connection = try salvage.scratch.create()
        try body(connection)
    }

    /// All rows of a query as text, in a form that distinguishes types.
    private func dump(_ sql: String, _ connection: borrowing Connection) throws -> [String] {
        try connection.query(SQL(verbatim: sql)) { row in
            try (0..<row.count).map { "\(try row[$0] as Value)" }.joined(separator: " | ")
        }
    }

    /// A query's answers before the damage and after the salvage.
    private func expectSame(
        _ queries: [String], damaging pages: [Int] = [],
        location: SourceLocation = #_sourceLocation
    ) throws -> SalvageReport {
        func answers(_ connection: borrowing Connection) throws -> [[String]] {
            var answers: [[String]] = []
            for query in queries { answers.append(try dump(query, connection)) }
            return answers
        }
        let before = try answers(salvage.scratch.open())
        for page in pages { try forge.damage(page) }
        let report = try salvage.salvage(location: location)
        let after = try answers(salvage.openNew())
        for (one, other) in zip(before, after) { #expect(one == other, sourceLocation: location) }
        return report
    }

    private static let schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2"

    @Test("Indexes, views, triggers, ledger, sequences, statistics and header fields are recovered")
    func everything() throws {
        try create { connection in
            for sql in [
                "CREATE TABLE person (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE)",
                "CREATE TABLE \"odd \"\" name\" (\"a b\" ANY, rowid TEXT)",
                "CREATE UNIQUE INDEX [by name] ON person (name COLLATE NOCASE, id DESC)",
                "CREATE INDEX part ON person (id) WHERE name IS NOT NULL",
                "CREATE VIEW v (n) AS SELECT name FROM person",
                "CREATE TRIGGER t INSTEAD OF INSERT ON v BEGIN INSERT INTO person (name) VALUES (new.n); END",
                "CREATE TRIGGER u AFTER INSERT ON person BEGIN DELETE FROM person WHERE name = 'no'; END",
                "INSERT INTO person (name) VALUES ('a'), ('b'), ('c')", "DELETE FROM person WHERE id > 1",
                "INSERT INTO \"odd \"\" name\" VALUES (1, 'x'), (x'00ff', NULL), ('t', 'y'), (1.5, '')", "ANALYZE",
            ] { try connection.execute(SQL(verbatim: sql)) }
            try connection.with(rights: .engine) {
                try connection.execute("CREATE TABLE lockstep_migration (position INTEGER, name TEXT)")
                try connection.execute("INSERT INTO lockstep_migration VALUES (1, 'first')")
            }
            try connection.setHeaderField("user_version", -3)
        }
        let report = try expectSame([
            Self.schema, "SELECT * FROM person", "SELECT _rowid_, * FROM \"odd \"\" name\"",
            "SELECT * FROM lockstep_migration", "SELECT * FROM sqlite_sequence",
            "SELECT * FROM sqlite_stat1 ORDER BY 1, 2", "PRAGMA user_version", "PRAGMA application_id",
        ])
        #expect(report.isComplete, "\(report)")
        let connection = try salvage.openNew()
        try connection.execute("INSERT INTO v VALUES ('d')")
        #expect(try connection.value("SELECT id FROM person WHERE name = 'd'") == 4)
    }

    @Test("Values of every kind, and unusual or invalid texts")
    func values() throws {
        try create { connection in
            try connection.execute("CREATE TABLE v (a, b TEXT, c REAL, d NUMERIC, e BLOB, f INTEGER)")
            let insert = try connection.prepare("INSERT INTO v VALUES (?, ?, ?, ?, ?, ?)")
            let integers: [Int64] = [
                0, 1, -1, 127, -128, 128, 32_767, -32_768, 8_388_607, -8_388_608, 2_147_483_647,
                -2_147_483_648, 140_737_488_355_327, -140_737_488_355_328, .max, .min,
            ]
            for number in integers {
                try insert.run(
                    number, "\(number)\0tail", Double(number) / 3, number, [UInt8](repeating: 7, count: 9000), number)
            }
            try insert.run("", "ü€𝄞", -0.0, "no number", [UInt8](), Int64?.none)
            try insert.run(Double.infinity, String?.none, 5.0, 1e300, [0, 255] as [UInt8], 3)
            try connection.execute(
                "INSERT INTO v VALUES (CAST(x'ff00fe' AS TEXT), CAST(x'c328' AS TEXT), 0, 0, x'', 0)")
        }
        let query =
            "SELECT rowid, hex(a), typeof(a), hex(b), typeof(b), c, typeof(c), d, typeof(d), "
            + "hex(e), typeof(e), f FROM v"
        let root = try salvage.root(of: "v")
        let report = try expectSame([query], damaging: [root])
        #expect(try report.table("v").rowsFoundByContent == 19)
    }

    @Test("Rows older than an added column have its default; generated columns are computed") func columns() throws {
        try create { connection in
            for sql in [
                "CREATE TABLE c (a INTEGER, v AS (a * 2), s TEXT AS ('s' || a) STORED, z TEXT)",
                "INSERT INTO c (a, z) VALUES (1, 'one'), (2, NULL)",
                "ALTER TABLE c ADD COLUMN k TEXT NOT NULL DEFAULT 'def'",
                "ALTER TABLE c ADD COLUMN n INTEGER DEFAULT -5", "ALTER TABLE c ADD COLUMN w AS (n + 1)",
                "INSERT INTO c (a, z, k, n) VALUES (3, 'three', 'K', 9)",
                "CREATE TABLE d (x TEXT, id INTEGER PRIMARY KEY) STRICT",
                "INSERT INTO d VALUES ('p', 10), ('q', -4), (NULL, 9223372036854775807)",
            ] { try connection.execute(SQL(verbatim: sql)) }
        }
        let report = try expectSame(
            ["SELECT rowid, * FROM c", "SELECT * FROM d", Self.schema],
            damaging: [])
        #expect(report.isComplete, "\(report)")
    }

    @Test("Tables WITHOUT ROWID, complete and without their root", arguments: [false, true])
    func withoutRowID(_ losesRoot: Bool) throws {
        try create { connection in
            try connection.execute(
                """
                CREATE TABLE w (a TEXT, b INTEGER, c TEXT NOT NULL, d REAL, PRIMARY KEY (c DESC, a))
                WITHOUT ROWID
                """)
            try connection.execute("CREATE INDEX w_b ON w (b)")
            try connection.write { connection in
                for id in 1...600 {
                    try connection.execute(
                        "INSERT INTO w VALUES (?, ?, ?, ?)", "a\(id % 7)", id,
                        SalvageScratch.text(id, length: id % 50 == 0 ? 5000 : 100), Double(id) / 4)
                }
            }
        }
        let root = try salvage.root(of: "w")
        // The rows in the root itself.
        let own = try forge.markers(Array(1...600), on: root)
        #expect(!own.isEmpty)
        let keep = losesRoot ? own.map(String.init).sorted().joined(separator: ",") : ""
        let report = try expectSame(
            ["SELECT * FROM w WHERE b NOT IN (\(keep)) ORDER BY b"], damaging: losesRoot ? [root] : [])
        let table = try report.table("w")
        #expect(table.rows == (losesRoot ? 600 - own.count : 600), "\(report)")
        #expect(report.isComplete != losesRoot, "\(report)")
        #expect(report.lostAndFound == nil)
    }

    /// In the unused middle of page 1, as the fixture has them; in the database header; in the array of cells; in the
    /// MAC.
    @Test("A page 1 that does not verify still gives the schema", arguments: [1000, 40, 104, 4040])
    func firstPage(_ offset: Int) throws {
        let rows = try salvage.fill(rows: 500)
        try salvage.scratch.open().setHeaderField("user_version", 12)
        try salvage.scratch.damage { $0.replaceSubrange(offset..<(offset + 3), with: [0, 0, 0]) }
        let report = try salvage.salvage()
        #expect(try salvage.rows() == rows)
        #expect(report.isSchemaUnverified && !report.isComplete && report.damagedPages == [1])
        #expect(try report.table("item").isComplete)
        #expect(try salvage.openNew().headerField("user_version") == (offset == 40 ? 0 : 12))
    }

    @Test("A lost schema comes from the caller")
    func knownSchema() throws {
        let rows = try salvage.fill(rows: 500)
        try salvage.scratch.damage { bytes in
            bytes.replaceSubrange(16..<4000, with: [UInt8](repeating: 9, count: 3984))
        }
        let report = try salvage.salvage(schema: [SalvageScratch.item, "CREATE INDEX by_number ON item (number)"])
        #expect(try salvage.rows() == rows)
        #expect(report.isSchemaIncomplete)
        #expect(try report.table("item").rowsFoundByContent == 500)
        let misuse = try #require(throws: LockstepError.self) {
            try Salvage(
                salvage.scratch.path, into: salvage.scratch.folder.file("other.db"), schema: ["DROP TABLE item"]
            ).run(key: salvage.scratch.key(), newKey: salvage.scratch.key())
        }
        #expect(misuse.code == .misuse)
    }

    @Test("A schema of many pages, one of which is damaged, gives the other tables") func longSchema() throws {
        try createLongSchema()
        let first = try forge.plain(1)
        #expect(first[100] == 5)
        let child = PageForge.word(first, at: 108)
        try forge.damage(child)
        let report = try salvage.salvage()
        #expect(report.isSchemaIncomplete && !report.isComplete)
        #expect(report.tables.count > 30 && report.tables.count < 60)
        #expect(report.tables.allSatisfy { $0.rows == 1 && $0.isComplete })
        #expect(report.lostAndFound?.rows == 60 - report.tables.count)
    }

    @Test("Without its root, a schema of many pages is recognised by its content")
    func schemaRoot() throws {
        try createLongSchema()
        try salvage.scratch.damage {
            $0.replaceSubrange(98..<110, with: repeatElement(0, count: 12))
        }
        let report = try salvage.salvage()
        #expect(report.isSchemaUnverified && report.isSchemaIncomplete)
        #expect(report.tables.count == 60 && report.tables.allSatisfy { $0.rows == 1 })
        #expect(report.lostAndFound == nil)
    }

    private func createLongSchema() throws {
        try create { connection in
            try connection.write { connection in
                for number in 0..<60 {
                    let columns = (0..<20).map { "column_\($0)_of_\(number) TEXT" }
                    try connection.execute(
                        "CREATE TABLE t\(verbatim: "\(number) (\(columns.joined(separator: ", ")))")")
                    try connection.execute("INSERT INTO t\(verbatim: "\(number) (column_0_of_\(number))") VALUES ('x')")
                }
            }
        }
    }

    @Test(
        "Full-text indexes, intact and with a damaged page of their own", arguments: [false, true])
    func fullText(_ isDamaged: Bool) throws {
        try create { connection in
            try connection.execute("CREATE VIRTUAL TABLE words USING fts5(title, body)")
            try connection.write { connection in
                for id in 1...400 {
                    try connection.execute(
                        "INSERT INTO words VALUES (?, ?)", "title\(id)",
                        "common word\(id % 10) \(SalvageScratch.text(id, length: 100))")
                }
            }
        }
        let report = try expectSame(
            [
                "SELECT count(*) FROM words WHERE words MATCH 'word3'",
                "SELECT rowid, title FROM words WHERE words MATCH 'common AND word7'",
            ], damaging: isDamaged ? [salvage.root(of: "words_data")] : [])
        // The index was rebuilt from the texts, all of which are intact.
        #expect(report.isComplete && report.failures == [], "\(report)")
        #expect(report.damagedPages.count == (isDamaged ? 1 : 0))
        let connection = try salvage.openNew()
        try connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")
        try connection.execute("INSERT INTO words VALUES ('new', 'word3')")
        #expect(
            try connection.value("SELECT count(*) FROM words WHERE words MATCH 'word3'") == 41)
    }

    @Test("An object that cannot be created again is reported, and everything else is recovered")
    func failures() throws {
        try create { connection in
            try connection.execute("CREATE TABLE parent (id INTEGER PRIMARY KEY, t TEXT)")
            try connection.execute("CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES parent (id))")
            try connection.write { connection in
                for id in 1...300 {
                    let text = SalvageScratch.text(id, length: 100)
                    try connection.execute("INSERT INTO parent VALUES (?, ?)", id, text)
                    try connection.execute("INSERT INTO child VALUES (?, ?)", id, id)
                }
            }
        }
        let leaf = try #require(forge.pages(ofKind: 13).first { try !forge.markers([150], on: $0).isEmpty })
        let lost = try forge.markers(Array(1...300), on: leaf)
        try forge.damage(leaf)
        let report = try salvage.salvage()
        #expect(report.orphans == [SalvageReport.Orphans(table: "child", parent: "parent", rows: lost.count)])
        #expect(report.description.contains("child: \(lost.count) rows without the referenced row in parent."))
    }

    @Test("Rows that violate a constraint are recovered unchanged, and the violation is reported")
    func brokenCheck() throws {
        try create { connection in
            try connection.execute("CREATE TABLE t (a TEXT CHECK (a <> 'secret'))")
            try connection.execute("PRAGMA ignore_check_constraints = ON")
            try connection.execute("INSERT INTO t VALUES ('x'), ('secret'), ('secret')")
        }
        let report = try expectSame(["SELECT rowid, a FROM t"])
        #expect(try report.table("t").isComplete && !report.isComplete)
        #expect(report.failures.map(\.reason) == ["CHECK constraint failed in t"])
    }

    @Test("The rows of a table whose definition no longer works go to lost_and_found") func brokenDefinition() throws {
        try create { connection in
            try connection.execute("CREATE TABLE good (a TEXT)")
            try connection.execute("CREATE TABLE poor (a TEXT COLLATE NOCASE UNIQUE)")
            try connection.execute("INSERT INTO good VALUES ('g')")
            try connection.execute("INSERT INTO poor VALUES ('p'), ('q')")
        }
        // A collation of a program that is absent here.
        try forge.change(1) { page in
            let old = Array("COLLATE NOCASE".utf8)
            let at = try #require(page.indices.first { page[$0...].starts(with: old) })
            page.replaceSubrange(at..<(at + old.count), with: "COLLATE NOSUCH".utf8)
        }
        let report = try salvage.salvage()
        #expect(report.failures.map(\.object) == ["table poor"])
        #expect(report.lostAndFound?.rows == 2)
        let connection = try salvage.openNew()
        #expect(try connection.value("SELECT group_concat(c0) FROM lost_and_found") == "p,q")
        #expect(try connection.value("SELECT a FROM good") == "g")
    }
}
