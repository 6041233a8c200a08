import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Folders in which several files have one number: because they run in the order of their names, or because each is for
/// another database.
@Suite("Files that share a number")
struct SharedNumbersTests {
    private static let table = "CREATE TABLE a (x INTEGER PRIMARY KEY, y TEXT);\n"
    private static let view = "CREATE VIEW v AS SELECT y FROM a;\n"

    private func objects(of set: MigrationSet) throws -> [String] {
        let connection = try Connection.inMemory()
        _ = try Migrator(set).run(on: connection)
        return try connection.query(
            """
            SELECT name FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name <> 'lockstep_migration'
            ORDER BY name
            """, as: String.self)
    }

    // MARK: By name

    @Test("by name, they are the parts of the number, in the order of their names")
    func byName() throws {
        let folder = try LayoutFolder([
            "0001_tables.sql": Self.table, "0001_views.sql": Self.view, "0002_more.up.sql": "CREATE TABLE b (x);",
            "0002_more.down.sql": "DROP TABLE b;", "10_last.sql": "", "readme.sql": "nonsense",
        ])
        let set = try folder.set(.byName)
        #expect(set.files.map(\.version.description) == ["1.1", "1.2", "2.1", "10.1"])
        #expect(set.files.map(\.name) == ["tables", "views", "more", "last"])
        #expect(set.files.map(\.isReversible) == [false, false, true, false])
        #expect(set.ignoredFiles == ["readme.sql"])
        #expect(try objects(of: set) == ["a", "b", "v"])
    }

    @Test("without its name, such a folder is refused and not run in some order")
    func undetected() throws {
        let files = ["0001-tables.sql": Self.table, "0001-views.sql": Self.view]
        let set = try LayoutFolder(files).set()
        #expect(set.layout == .numbered)
        let connection = try Connection.inMemory()
        Refusal.expect(.versionDuplicate) { _ = try Migrator(set).run(on: connection) }
    }

    @Test("a file that comes between applied ones is drift, and one after them is pending") func between() throws {
        var files = ["0001_b.sql": Self.table, "0001_c.sql": Self.view]
        let connection = try Connection.inMemory()
        _ = try Migrator(LayoutFolder(files).set(.byName)).run(on: connection)
        files["0001_d.sql"] = "CREATE TABLE d (x);"
        let report = try Migrator(LayoutFolder(files).set(.byName)).run(on: connection)
        #expect(report.steps.map(\.version.description) == ["1.3"])
        files["0001_a.sql"] = "CREATE TABLE other (x);"
        let set = try LayoutFolder(files).set(.byName)
        Refusal.expect(.migrationChanged) { _ = try Migrator(set).run(on: connection) }
    }

    @Test("a way down without its way up is refused")
    func orphan() throws {
        let error = try LayoutFolder.error(["0001_a.sql": Self.table, "0001_b.down.sql": "DROP TABLE a;"], .byName)
        #expect(error?.code == .migrationMalformed)
        #expect(error?.message.contains("0001_b.down.sql") == true)
    }

    // MARK: Dialects

    @Test("that for SQLite counts, else that for all, and others are reported")
    func dialects() throws {
        // As programs in Go have them, with a fallback and two databases.
        let folder = try LayoutFolder([
            "20200101000000_init.up.sql": Self.table, "20200101000000_init.down.sql": "DROP TABLE a;",
            "20200102000000_views.sqlite3.up.sql": Self.view, "20200102000000_views.sqlite3.down.sql": "DROP VIEW v;",
            "20200102000000_views.postgres.up.sql": "CREATE MATERIALIZED VIEW v AS SELECT 1;",
            "20200102000000_views.postgres.down.sql": "DROP MATERIALIZED VIEW v;",
            "20200102000000_views.up.sql": "for any other",
            "20200103000000_only.mysql.up.sql": "ALTER TABLE a ENGINE=InnoDB;",
        ])
        let set = try folder.set()
        #expect(set.files.map(\.version.description) == ["20200101000000", "20200102000000"])
        #expect(set.files.map(\.fileName) == ["20200101000000_init.up.sql", "20200102000000_views.sqlite3.up.sql"])
        #expect(set.files.allSatisfy { $0.isReversible })
        #expect(set.ignoredFiles.count == 4)
        #expect(set.ignoredFiles.contains("20200103000000_only.mysql.up.sql"))
        #expect(try objects(of: set) == ["a", "v"])
    }

    @Test("a V, a word for all, and one for each database")
    func all() throws {
        let set = try LayoutFolder([
            "V0001.Init.all.up.sql": Self.table, "V0001.Init.all.down.sql": "DROP TABLE a;",
            "V0002.Views.sqlite.up.sql": Self.view, "V0002.Views.mysql.up.sql": "nonsense",
            "V0002.Views.sqlite.down.sql": "DROP VIEW v;",
        ]).set()
        #expect(set.layout == .numbered)
        #expect(set.files.map(\.name) == ["Init", "Views"])
        #expect(set.ignoredFiles == ["V0002.Views.mysql.up.sql"])
        #expect(try objects(of: set) == ["a", "v"])
    }

    @Test("two files for SQLite with one number are refused")
    func twice() throws {
        let set = try LayoutFolder([
            "1_a.sqlite.up.sql": Self.table, "1_a.sqlite3.up.sql": "DROP TABLE a;", "1_a.postgres.up.sql": "",
        ]).set()
        let connection = try Connection.inMemory()
        Refusal.expect(.versionDuplicate) { _ = try Migrator(set).run(on: connection) }
    }

    @Test("a word that is no part of its own is a name, and a list of files knows of no dialects") func names() throws {
        let set = try LayoutFolder([
            "1_move_to_postgres.sql": Self.table, "2_all.sql": Self.view,
        ]).set()
        #expect(set.files.count == 2)
        let listed = [
            ("1_a.sql", Self.table), ("2_b.postgres.sql", Self.view),
        ]
        var files = Dictionary(uniqueKeysWithValues: listed)
        files["atlas.sum"] = try AtlasSumTests.sum(listed)
        #expect(try LayoutFolder(files).set(.atlas).files.count == 2)
    }
}
