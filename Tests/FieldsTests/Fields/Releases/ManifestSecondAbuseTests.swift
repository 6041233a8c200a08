import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What anyone who can open the file does to a release of version 2.
struct ManifestSecondAbuseTests {
    let bench: ReleaseWorkbench

    /// A sealed and indexed title, an index of the program's, a view, and another table.
    init() throws {
        bench = try ReleaseWorkbench()
        let connection = try bench.films.open()
        try connection.protect("note", of: "film", keys: bench.films.keys, indexes: [SealedIndex.Request(.exact)])
        try connection.run(
            script: """
                CREATE INDEX film_year ON film (year);
                CREATE TABLE beside (id INTEGER PRIMARY KEY, x TEXT UNIQUE);
                CREATE INDEX beside_x ON beside (x);
                CREATE VIEW old AS SELECT id FROM film WHERE year < 1950;
                CREATE TRIGGER watch AFTER INSERT ON beside BEGIN SELECT 1; END;
                INSERT INTO beside VALUES (1, 'a');
                """)
        try bench.release(3)
    }

    @Test("the release holds, and covers everything")
    func holds() throws {
        #expect(try bench.findings() == [])
        let table = try Manifest(bench.text()).tables[0]
        #expect(table.columnNames == ["title", "note"])
        #expect(table.tokenColumnNames == ["note_exact_token"])
        #expect(table.plainColumnNames == ["year"])
        #expect(table.indexNames.count == 2 && table.indexNames.contains("film_year"))
    }

    private static let token = "lockstep_sealed_film_note_exact_token"

    /// SQL, and the codes of what a check finds afterwards.
    private static let attacks: [(sql: String, due: [String])] = [
        // Plain values and tokens.
        ("UPDATE film SET year = 1 WHERE id = 2", ["plain-changed"]),
        ("UPDATE film SET year = CAST(year AS TEXT) || 'x' WHERE id = 2", ["plain-changed"]),
        ("UPDATE film SET year = NULL WHERE id = 2", ["plain-changed"]),
        (
            "UPDATE film SET year = (SELECT year FROM film AS o WHERE o.id = 3 - film.id) WHERE id < 3",
            ["plain-changed"]
        ),
        ("UPDATE film SET note_exact_token = 1 WHERE id = 2", ["plain-changed"]),
        ("UPDATE film SET note_exact_token = NULL", ["plain-changed"]),
        // Sealed values and rows, as in version 1.
        ("UPDATE film SET title = x'' WHERE id = 5", ["rows-changed"]),
        ("UPDATE film SET note = NULL", ["rows-changed"]), ("DELETE FROM film WHERE id = 2", ["rows-missing"]),
        ("INSERT INTO film (id, title) SELECT 9, title FROM film WHERE id = 1", ["rows-added"]),
        // Indexes.
        ("DROP INDEX film_year", ["index-missing"]),
        ("DROP INDEX \(token)", ["index-missing"]),
        ("CREATE INDEX more ON film (year)", ["index-added"]),
        ("CREATE INDEX more ON film (year) WHERE year > 1", ["index-added"]),
        ("DROP INDEX film_year; CREATE INDEX film_year ON film (year DESC)", ["index-changed"]),
        ("DROP INDEX film_year; CREATE INDEX film_year ON film (year) WHERE year > 1", ["index-changed"]),
        ("DROP INDEX film_year; CREATE INDEX film_year2 ON film (year)", ["index-missing", "index-added"]),
        // The schema.
        ("CREATE TABLE more (x)", ["schema-changed"]), ("CREATE VIEW more AS SELECT 1", ["schema-changed"]),
        (
            "CREATE TRIGGER more AFTER INSERT ON film BEGIN DELETE FROM film; END",
            ["schema-changed"]
        ),
        ("CREATE INDEX more ON beside (id)", ["schema-changed"]),
        ("DROP INDEX beside_x", ["schema-changed"]),
        ("DROP TABLE beside", ["schema-changed"]),
        ("DROP VIEW old", ["schema-changed"]),
        ("DROP VIEW old; CREATE VIEW old AS SELECT id FROM film WHERE year < 1960", ["schema-changed"]),
        ("DROP TABLE beside; CREATE VIEW beside AS SELECT 1 AS id, 'a' AS x", ["schema-changed"]),
        ("ALTER TABLE beside ADD COLUMN y", ["schema-changed"]),
        (
            "CREATE TRIGGER lockstep_sealed_x AFTER INSERT ON film BEGIN SELECT 1; END",
            ["schema-changed"]
        ),
        ("CREATE VIEW lockstep_x AS SELECT 1", ["schema-changed"]),
        ("CREATE VIRTUAL TABLE words USING fts5(x)", ["schema-changed"]),
        // The table's definition.
        ("ALTER TABLE film ADD COLUMN more", ["schema-changed", "table-other"]),
        (
            "ALTER TABLE film ADD COLUMN more AS (year + 1) VIRTUAL", ["schema-changed"]
        ),
        ("ALTER TABLE film RENAME COLUMN year TO jahr", ["schema-changed", "table-other", "index-changed"]),
        (
            "DROP VIEW old; DROP INDEX film_year; ALTER TABLE film DROP COLUMN year",
            ["schema-changed", "table-other", "index-missing"]
        ),
        ("DROP TABLE film", ["schema-changed", "table-missing"]),
        // What the database records about its sealed columns and their indexes.
        ("DELETE FROM lockstep_index", ["registry-other"]),
        ("UPDATE lockstep_index SET name = 'year'", ["registry-other"]),
        ("UPDATE lockstep_index SET number = 2", ["registry-other"]), ("DROP TABLE lockstep_index", ["registry-other"]),
        ("UPDATE lockstep_column SET state = 'plaintext'", ["registry-other"]),
        ("UPDATE lockstep_dataset SET mac = zeroblob(32)", ["registry-other"]),
        ("UPDATE lockstep_dataset SET changes = changes - 1", ["registry-older"]),
        ("DELETE FROM lockstep_dataset", ["registry-missing"]),
        // Version 1 in place of version 2.
        ("UPDATE lockstep_manifest SET text = replace(text, 'manifest/2', 'manifest/1')", ["manifest-malformed"]),
        ("UPDATE lockstep_manifest SET text = replace(text, 'plain year', 'plain jahr')", ["manifest-forged"]),
    ]

    /// The release after an attack.
    private static func attacked(_ sql: String) throws -> ReleaseWorkbench {
        let bench = try ManifestSecondAbuseTests().bench
        // The triggers of a dropped table cannot be made again.
        let restoring = !sql.hasPrefix("DROP TABLE ") || sql.contains("lockstep_index")
        try bench.sabotage(sql, restoring: restoring)
        return bench
    }

    @Test(
        "anyone who can open the file changes nothing that is covered unnoticed", arguments: attacks
    )
    func database(_ row: (sql: String, due: [String])) throws {
        let found = try Self.attacked(row.sql).findings(dataset: CellWorkbench.dataset)
        #expect(found.map(\.code) == row.due)
        #expect(found.allSatisfy { !$0.description.isEmpty })
    }

    @Test(
        "programs written from the documents alone judge the same files alike",
        .enabled(if: PythonReader.isPresent, PythonReader.missing))
    func readers() throws {
        let benches = try Self.attacks.map { try Self.attacked($0.sql) } + [bench]
        let words = Self.attacks.map { attack in
            attack.due.map {
                ["manifest-malformed": "malformed", "manifest-forged": "forged"][$0] ?? $0
            }.joined(separator: " ")
        }
        // Each database has its own publisher, and all share one key.
        #expect(try ReleaseWorkbench.wordsOfReaders(benches) == words + ["holds"])
    }

    @Test(
        "a definition written differently is another one, and one made again letter by letter is not"
    )
    func letters() throws {
        try bench.sabotage("DROP VIEW old; CREATE VIEW old AS SELECT id FROM film WHERE year < 1950", restoring: true)
        #expect(try bench.findings() == [])
        try bench.sabotage("DROP VIEW old; CREATE VIEW old AS SELECT id  FROM film WHERE year < 1950", restoring: true)
        #expect(
            try bench.findings().map(\.code) == ["schema-changed"])
    }

    @Test("the triggers that guard sealed columns are part of the schema")
    func guards() throws {
        try bench.sabotage("SELECT 1")
        #expect(try bench.findings().map(\.code) == ["schema-changed"])
    }

    @Test("VACUUM, ANALYZE, REINDEX and a copy change nothing, nor do the engine's own tables") func moved() throws {
        let connection = try bench.open()
        try connection.with(rights: .engine) {
            for sql: SQL in ["VACUUM", "ANALYZE", "REINDEX", "PRAGMA optimize"] {
                try connection.execute(sql)
                #expect(try bench.findings() == [], "\(sql)")
            }
            try connection.execute("CREATE TABLE lockstep_later (x)")
            try connection.execute("CREATE INDEX lockstep_by_x ON lockstep_later (x)")
        }
        #expect(try bench.findings() == [])
        let copy = bench.films.folder.file("copy.db")
        try connection.with(rights: .engine) {
            try connection.execute("VACUUM INTO \(copy.string)")
        }
        let other = try Connection.open(copy, key: bench.films.databaseKey())
        #expect(try Manifest.check(other, publisher: bench.pinned).isClean)
        // Anything beside the release's tables is not covered.
        try bench.open().execute("UPDATE beside SET x = 'b'")
        #expect(try bench.findings() == [])
    }

    @Test("AUTOINCREMENT makes one of SQLite's own tables, which is left out")
    func sequence() throws {
        let connection = try bench.open()
        try connection.execute("CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT)")
        let count = try bench.release().definitionCount
        try connection.execute("INSERT INTO counted VALUES (7)")
        #expect(try bench.findings() == [])
        try connection.execute("DROP TABLE counted")
        #expect(try bench.findings() == [.schemaChanged(definitions: (count ?? 0) - 1, released: count ?? 0)])
    }
}

extension ReleaseWorkbench {
    private struct Request: Encodable {
        let database: String
        let publisher: String
        let dataset = Hex.encode(CellWorkbench.dataset)
    }

    /// How the programs in Python judge files that share one key: one decrypts them, the other checks their content.
    static func wordsOfReaders(_ benches: [ReleaseWorkbench]) throws -> [String] {
        guard let first = benches.first else { return [] }
        let plain = benches.map { $0.films.folder.file("plain.db") }
        let paths = zip(benches, plain).flatMap { [$0.films.path.string, $1.string] }
        let outcome = try PythonPages.run(["decrypt"] + paths, key: first.films.databaseKey())
        try #require(outcome.status == 0, "\(outcome.complaint)")
        let answers = try CellReader.answers(
            zip(benches, plain).map {
                Request(database: $1.string, publisher: $0.pinned.description)
            })
        for path in plain { try FileManager.default.removeItem(atPath: path.string) }
        return answers
    }

    func wordsOfReader() throws -> String? { try Self.wordsOfReaders([self]).first }
}
