import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Migration layouts")
struct LayoutTests {
    private func objects(_ connection: borrowing Connection) throws -> [String] {
        try connection.query(
            """
            SELECT name FROM sqlite_schema
            WHERE sql IS NOT NULL AND tbl_name <> 'lockstep_migration' ORDER BY name
            """
        ) { row in try row[0] as String }
    }

    @Test(
        "A folder is recognised, and runs as it is: up, down as far as possible, and up again",
        arguments: LayoutCase.all)
    func runs(layout: LayoutCase) throws {
        let set = try LayoutFolder(layout.files).set()
        #expect(set.layout == layout.layout)
        #expect(set.files.map(\.version.description) == layout.versions)
        #expect(set.files.map(\.name) == layout.names)
        #expect(set.files.suffix(layout.undoable).allSatisfy { $0.isReversible })
        let connection = try Connection.inMemory()
        let migrator = Migrator(set)
        #expect(try migrator.run(on: connection).steps.count == layout.versions.count)
        #expect(try objects(connection) == layout.objects)
        let schema = try SchemaSnapshot(connection)
        #expect(
            try migrator.run(.back(layout.undoable), on: connection).steps.count
                == layout.undoable)
        if layout.undoable == layout.versions.count { #expect(try objects(connection).isEmpty) }
        _ = try migrator.run(on: connection)
        #expect(try SchemaSnapshot(connection) == schema)
        #expect(try Migrator(set).run(on: connection).notices.isEmpty)
    }

    @Test("It also runs in an encrypted file, and after reopening nothing is pending") func encrypted() throws {
        let scratch = try DatabaseScratch()
        let layout = try #require(LayoutCase.all.first { $0.layout == .diesel })
        let folder = try LayoutFolder(layout.files)
        _ = try Migrator(try folder.set()).run(on: scratch.create())
        let connection = try scratch.open()
        #expect(try Migrator(try folder.set(.diesel)).run(on: connection).steps.isEmpty)
        #expect(try objects(connection) == layout.objects)
        #expect(try !Bytes.contain(Bytes.read(scratch.path), "CREATE TABLE"))
    }

    @Test(
        "Compiled-in files make the same set as their folder", arguments: LayoutCase.all)
    func embedded(layout: LayoutCase) throws {
        let files = layout.files.map { (name: $0.key, content: $0.value) }
        #expect(
            try MigrationSet(name: "set", files: files) == LayoutFolder(layout.files).set())
    }

    @Test("An explicitly named layout is used")
    func named() throws {
        let files = [
            "1_a.up.sql": "CREATE TABLE a (x);", "1_a.down.sql": "DROP TABLE a;",
        ]
        let folder = try LayoutFolder(files)
        #expect(try folder.set().layout == .golangMigrate)
        #expect(try folder.set(.sqlx).layout == .sqlx)
        #expect(try folder.set(.sqlx).files == folder.set(.golangMigrate).files)
        Refusal.expect(.migrationMalformed) { _ = try folder.set(.flyway) }
        #expect(try folder.set(.diesel).files.isEmpty)
    }

    @Test(
        "Only the native layout objects to gaps; refinery's U versions may come late")
    func order() throws {
        let first = try LayoutFolder(["V1__a.sql": "CREATE TABLE a (x);", "V4__d.sql": ""]).set(.refinery)
        let connection = try Connection.inMemory()
        #expect(try Migrator(first).run(on: connection).steps.count == 2)
        let late = try LayoutFolder([
            "V1__a.sql": "CREATE TABLE a (x);", "V4__d.sql": "", "U2__b.sql": "CREATE TABLE b (x);",
        ]).set(.refinery)
        // A set is identified by its name, which both have.
        #expect(try Migrator(late).run(on: connection).steps.map(\.version.description) == ["2"])
        let strict = try LayoutFolder([
            "V1__a.sql": "CREATE TABLE a (x);", "V4__d.sql": "", "U2__b.sql": "CREATE TABLE b (x);", "V3__c.sql": "",
        ]).set(.refinery)
        Refusal.expect(.outOfOrder) { _ = try Migrator(strict).run(on: connection) }
    }

    @Test("The plan reports two files of one version, with both names")
    func duplicates() throws {
        for (layout, one, other) in [
            (MigrationLayout.golangMigrate, "1_a.up.sql", "01_b.up.sql"), (.sqlx, "1_a.sql", "001_b.sql"),
            (.flyway, "V1__a.sql", "x/V1.0__b.sql"), (.refinery, "V1__a.sql", "U1__b.sql"),
            (.diesel, "2024-01-01-000000_a/up.sql", "20240101000000_b/up.sql"),
        ] {
            let set = try LayoutFolder([one: "", other: ""]).set(layout)
            let plan = Plan(set, ledger: [], target: .latest)
            #expect(plan.steps.isEmpty)
            #expect(plan.findings.map(\.error.code) == [.versionDuplicate], "\(layout)")
            let message = plan.findings.first?.error.message ?? ""
            #expect(message.contains(one) && message.contains(other), "\(message)")
        }
    }

    @Test("A changed way up, a changed way down and a moved marker each change the version") func checksums() throws {
        func findings(
            _ before: [String: String], _ after: [String: String]
        ) throws -> [LockstepError.Code] {
            let connection = try Connection.inMemory()
            _ = try Migrator(try LayoutFolder(before).set()).run(on: connection)
            return try Migrator(try LayoutFolder(after).set()).plan(.latest, on: connection)
                .findings.filter(\.isFatal).map(\.error.code)
        }
        let up = "CREATE TABLE a (x);"
        #expect(
            try findings(
                ["1_a.up.sql": up, "1_a.down.sql": "DROP TABLE a;"],
                ["1_a.up.sql": up, "1_a.down.sql": "SELECT 1;"]
            ) == [.migrationChanged])
        #expect(
            try findings(
                ["1_a.up.sql": up, "1_a.down.sql": "DROP TABLE a;"],
                ["1_a.up.sql": up, "1_a.down.sql": "DROP  TABLE a; -- gone"]
            ).isEmpty)
        #expect(
            try findings(["1_a.up.sql": up], ["1_a.up.sql": "CREATE TABLE a (y);"])
                == [.migrationChanged])
        for (marker, end) in [("migrate:up", "migrate:down"), ("+goose Up", "+goose Down")] {
            let before = "-- \(marker)\n\(up)\n-- \(end)\nSELECT 1;"
            let after = "-- \(marker)\n-- \(end)\n\(up)\nSELECT 1;"
            #expect(try findings(["1_a.sql": before], ["1_a.sql": after]) == [.migrationChanged])
            let spaced = "--  \(marker)\n\(up)\n-- hello\n--  \(end)\nSELECT 1;"
            #expect(try findings(["1_a.sql": before], ["1_a.sql": spaced]).isEmpty)
        }
    }

    @Test("A version in another language stops the run, unless our code takes its place") func code() throws {
        for (layout, one, program, language) in [
            (MigrationLayout.goose, "1_a.sql", "00002_b.go", "Go"), (.refinery, "V1__a.sql", "deep/V2__b.rs", "Rust"),
            (.flyway, "V1__a.sql", "V2.0__b.java", "Java"), (.flyway, "V1__a.sql", "V2__b.sh", "a script language"),
        ] {
            let up = layout == .goose ? "-- +goose Up\n" : ""
            let folder = try LayoutFolder([one: "\(up)CREATE TABLE a (x);", program: "no SQL"])
            let set = try folder.set(layout)
            #expect(set.externalCode.map(\.fileName) == [program])
            let error = try #require(Plan(set, ledger: [], target: .latest).findings.first?.error)
            #expect(error.code == .migrationMalformed)
            #expect(error.message.contains("\(program) is written in \(language)"))
            #expect(error.hint?.contains("version 2") == true)
            let connection = try Connection.inMemory()
            Refusal.expect(.migrationMalformed) { _ = try Migrator(set).run(on: connection) }
            let whole = set.adding(
                try CodeMigration(version: MigrationVersion(2), name: "b") { connection in
                    try connection.execute("INSERT INTO a VALUES (2)")
                })
            #expect(try Migrator(whole).run(on: connection).steps.count == 2)
            #expect(try Scratch.int(connection, "SELECT x FROM a") == 2)
        }
        // A baseline replaces programs, too.
        let folder = try LayoutFolder(["V1__a.java": "", "B2__ab.sql": "CREATE TABLE a (x);", "V3__c.sql": ""])
        let steps = try Migrator(try folder.set()).run(on: Connection.inMemory()).steps
        #expect(steps.map(\.name) == ["ab", "c"])
    }
}
