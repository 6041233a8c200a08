import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Detection of a folder's layout")
struct LayoutDetectionTests {
    private let dbmate = "-- migrate:up\n-- migrate:down\n"
    private let goose = "-- +goose Up\n"
    private let native = "-- lockstep: up\n"

    @Test("Markers decide first, then names")
    func tells() throws {
        let expected: [(MigrationLayout, [String: String])] = [
            (.native, [:]), (.native, ["README.md": ""]), (.native, ["1_a.sql": native]),
            (.native, ["1_a.sql": "--Lockstep :UP\n"]), (.native, ["1_a.up.sql": native]),
            (.dbmate, ["1_a.sql": dbmate]), (.dbmate, ["001.sql": dbmate, "schema.sql": ""]),
            (.goose, ["1_a.sql": goose]), (.goose, ["1_a.sql": "-- +goose UP"]), (.sqlx, ["1_a.sql": "SELECT 1;"]),
            (.sqlx, ["1_a.sql": ""]), (.sqlx, ["1_a.sql": "-- lockstep: allow loss of table a\n"]),
            (.golangMigrate, ["1_a.up.sql": "", "1_a.down.sql": ""]),
            (.golangMigrate, ["1_a.up.sql": "SELECT 1; -- no-transaction"]),
            (.sqlx, ["1_a.up.sql": "-- no-transaction\n"]), (.refinery, ["V1__a.sql": "", "U2__b.sql": ""]),
            (.refinery, ["V1__a.sql": "", "mod.rs": ""]), (.refinery, ["U2__b.sql": "${x}"]),
            (.flyway, ["V1__a.sql": ""]), (.flyway, ["V1__a.sql": "", "U1__a.sql": ""]), (.flyway, ["V1.1__a.sql": ""]),
            (.flyway, ["R__a.sql": ""]), (.flyway, ["V1__a.sql": "", "x/R__a.sql": ""]),
            (.flyway, ["V1__a.sql": "", "B1__a.sql": ""]), (.flyway, ["V1__a.SQL": ""]),
            (.diesel, ["2024-01-01-000000_a/up.sql": ""]),
            (.diesel, ["1_a/up.sql": "", "schema.sql": ""]),
            (.numbered, ["1-a.sql": ""]), (.numbered, ["001.sql": ""]),
            (.numbered, ["V1.a.sql": ""]),
            (.numbered, ["1_a.sql": "", "2-b.sql": ""]), (.numbered, ["1_a.up.sql": "", "2-b.up.sql": ""]),
            (.numbered, ["99999999999999999999_a.sql": ""]), (.numbered, ["001.do.a_b.sql": ""]),
            (.markers, ["1_a.sql": "SELECT 1;\n-- Down\nSELECT 2;", "2_b.sql": "SELECT 1;"]),
            (.markers, ["1-a.sql": "-- Up\n-- Down Migration\nSELECT 2;"]),
            (.sqlx, ["1_a.sql": "SELECT 1;\n-- Down\n;\n"]), (.sqlx, ["1_a.sql": "SELECT '\n-- Down\n';\nSELECT 2;"]),
            (.golangMigrate, ["1_a.up.sql": "-- Down\n", "1_a.down.sql": "-- Down\nSELECT 1;"]),
            (.prisma, ["20240101000000_a/migration.sql": ""]),
            (.prisma, ["migration_lock.toml": "provider = \"sqlite\"", "1_a/migration.sql": ""]),
            (.prisma, ["migration_lock.toml": "provider = \"sqlite\""]),
            (.drizzle, ["1_a/migration.sql": "", "1_a/snapshot.json": "{}"]),
            (.drizzle, ["meta/_journal.json": "{\"entries\": []}"]),
            (.rusqlite, ["01-a/up.sql": "", "02-b/up.sql": ""]), (.diesel, ["2024-01-02-000000_a/up.sql": ""]),
            (.goose, ["00001_a.sql": goose, "atlas.sum": "h1:x"]),
            // The content of folders is ignored where the layout uses files.
            (.native, ["1_a.sql": native, "old/V1__a.sql": "", "old/1_b.up.sql": ""]),
        ]
        for (layout, files) in expected {
            #expect(try LayoutFolder.layout(of: files) == layout, "\(files)")
        }
    }

    @Test("A marker inside a string or a block comment does not count")
    func notMarkers() throws {
        for text in [
            "INSERT INTO a VALUES ('\n-- migrate:up\n');", "/*\n-- +goose Up\n*/",
            "SELECT 1 AS \"\n-- lockstep: up\n\";", "SELECT 'x -- migrate:up';",
        ] {
            #expect(try LayoutFolder.layout(of: ["1_a.sql": text]) == .sqlx, "\(text)")
        }
    }

    @Test("If several layouts are possible, the error names a file of each and asks") func ambiguous() throws {
        let cases: [([String: String], [String])] = [
            (["1_a.sql": goose, "2_b.sql": dbmate], ["1_a.sql", "goose", "2_b.sql", "dbmate"]),
            (["1_a.sql": native, "2_b.sql": goose], ["1_a.sql", "native", "2_b.sql", "goose"]),
            (["1_a.sql": native, "V2__b.sql": ""], ["1_a.sql", "V2__b.sql"]),
            (["1_a.sql": "", "2_b.up.sql": ""], ["1_a.sql", "2_b.up.sql"]),
            (["1_a.sql": "", "V2__b.sql": ""], ["1_a.sql", "V2__b.sql"]),
            (["1_a.up.sql": "", "V2__b.sql": ""], ["1_a.up.sql", "V2__b.sql"]),
            (["1_a.sql": "", "2_b/up.sql": ""], ["1_a.sql", "2_b/up.sql"]),
            (["1-a.sql": "", "V2__b.sql": ""], ["1-a.sql", "V2__b.sql"]),
            (["1_a/up.sql": "", "02-b/up.sql": ""], ["1_a/up.sql", "02-b/up.sql"]),
            (["meta/_journal.json": "{}", "1_a/up.sql": ""], ["meta/_journal.json", "1_a/up.sql"]),
            (["migration_lock.toml": "", "1_a.sql": "", "2_b/migration.sql": ""], ["migration_lock.toml", "1_a.sql"]),
            (
                ["V1__a.sql": "", "U1__a.sql": "", "U2__b.sql": ""],
                ["U1__a.sql", "Flyway", "refinery"]
            ),
            (["V1__a.sql": "SELECT '${x}';"], ["V1__a.sql", "Flyway", "refinery"]),
        ]
        for (files, reported) in cases {
            let error = try #require(try LayoutFolder.error(files), "\(files)")
            #expect(error.code == .migrationMalformed)
            for reported in reported {
                #expect(error.message.contains(reported), "\(error.message)")
            }
            #expect(error.hint?.contains("layout") == true)
        }
    }

    @Test("An unmarked file among marked ones is refused, and not taken for another layout's") func unmarked() throws {
        for marked in [native, dbmate, goose] {
            let error = try #require(try LayoutFolder.error(["1_a.sql": marked, "2_b.sql": "SELECT 1;"]))
            #expect(error.message.hasPrefix("2_b.sql:1:"), "\(error.message)")
        }
    }

    @Test("Files of no layout, and of unsupported tools, are refused")
    func unknown() throws {
        let stray = try #require(try LayoutFolder.error(["first.sql": "SELECT 1;"]))
        #expect(stray.message.contains("first.sql"))
        #expect(stray.hint?.contains("golang-migrate, dbmate") == true)
        for (marker, tool) in [
            ("-- +migrate Up", "sql-migrate"), ("-- +micrate Up", "micrate"),
            ("-- rambler up", "rambler"), ("-- !Ups", "Play evolutions"),
            ("-- //@UNDO", "MyBatis migrations"), ("--liquibase formatted sql", "Liquibase"),
        ] {
            let error = try #require(try LayoutFolder.error(["1_a.sql": "\(marker)\nSELECT 1;"]))
            #expect(error.message.contains(tool), "\(error.message)")
            #expect(error.message.contains("1_a.sql"))
        }
    }

    @Test("A folder of sets can contain sets of several layouts")
    func sets() throws {
        let folder = try LayoutFolder([
            "a/1_x.sql": native, "b/1_x/up.sql": "", "c/V1__x.sql": "", "d/README.md": "", "e/x/1_x.sql": native,
        ])
        let sets = try MigrationSet.sets(in: folder.path)
        #expect(sets.map(\.name) == ["a", "b", "c"])
        #expect(sets.map(\.layout) == [.native, .diesel, .flyway])
        #expect(try MigrationSet.sets(in: folder.path, named: "b").map(\.layout) == [.diesel])
        Refusal.expect(.notFound) { _ = try MigrationSet.sets(in: folder.path, named: "d") }
    }

    @Test("Where subfolders belong to the layout, a folder is one set, unless one of them is named")
    func trees() throws {
        let folder = try LayoutFolder(["2024/V1__x.sql": "", "2025/V2__y.sql": ""])
        let one = try MigrationSet.sets(in: folder.path, layout: .flyway)
        #expect(one.map(\.name) == ["set"])
        #expect(one[0].files.map(\.fileName) == ["2024/V1__x.sql", "2025/V2__y.sql"])
        let inner = try MigrationSet.sets(in: folder.path, named: "2025", layout: .flyway)
        #expect(inner.map(\.name) == ["2025"])
        #expect(try MigrationSet.sets(in: folder.path).map(\.name) == ["2024", "2025"])
    }

    @Test("A folder whose name cannot be a set name gives one or gets one")
    func naming() throws {
        let temporary = try TemporaryFolder()
        let path = temporary.file("SQL_files")
        try AtomicFile.createFolder(path)
        try Bytes.write(Array(native.utf8), to: path.appending("1_a.sql"))
        #expect(try MigrationSet.sets(in: path).map(\.name) == ["sql-files"])
        #expect(try MigrationSet.sets(in: path, named: "films").map(\.name) == ["films"])
        let nameless = temporary.file("Ω")
        try AtomicFile.createFolder(nameless)
        try Bytes.write(Array(native.utf8), to: nameless.appending("1_a.sql"))
        Refusal.expect(.migrationMalformed) { _ = try MigrationSet.sets(in: nameless) }
        // Two folders that make one name.
        for name in ["A b", "a_B"] {
            let inner = temporary.file("sets").appending(name)
            if name == "A b" { try AtomicFile.createFolder(temporary.file("sets")) }
            try AtomicFile.createFolder(inner)
            try Bytes.write(Array(native.utf8), to: inner.appending("1_a.sql"))
        }
        Refusal.expect(.migrationMalformed) {
            _ = try MigrationSet.sets(in: temporary.file("sets"))
        }
        let plain = try LayoutFolder(["1_a.sql": native])
        #expect(try MigrationSet.sets(in: plain.path, named: "films").map(\.name) == ["set"])
    }
}
