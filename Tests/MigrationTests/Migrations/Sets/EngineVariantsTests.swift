import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Migration sets for several engines")
struct EngineVariantsTests {
    private let up = "-- lockstep: up\nSELECT 1;\n"

    private func set(_ names: [String], _ engine: DatabaseEngine) throws -> MigrationSet {
        try MigrationSet(
            name: "test", files: names.map { (name: $0, content: up) }, engine: engine)
    }

    private func fatal(_ set: MigrationSet) -> [LockstepError.Code] {
        Plan(set, ledger: [], target: .latest).findings.filter(\.isFatal).map(\.error.code)
    }

    @Test(
        "A file that names the engine takes the place of the one that names none, on its engine alone"
    )
    func variants() throws {
        let names = ["0001_a.sql", "0002_b.sql", "0002_b.postgres.sql", "0003_c.SQLite.sql", "0003_c.sql"]
        let sqlite = try set(names, .sqlite)
        let postgres = try set(names, .postgres)
        #expect(sqlite.files.map(\.fileName) == ["0001_a.sql", "0002_b.sql", "0003_c.SQLite.sql"])
        #expect(postgres.files.map(\.fileName) == ["0001_a.sql", "0002_b.postgres.sql", "0003_c.sql"])
        #expect(sqlite.files.map(\.name) == ["a", "b", "c"])
        #expect(postgres.files.map(\.name) == ["a", "b", "c"])
        #expect(fatal(sqlite).isEmpty && fatal(postgres).isEmpty)
    }

    @Test("A version that only other engines have is no gap, and a missing one still is") func elsewhere() throws {
        let names = ["0001_a.sql", "0002_b.postgres.sql", "0003_c.sql", "0004_d.postgres.sql"]
        let sqlite = try set(names, .sqlite)
        #expect(sqlite.files.map(\.fileName) == ["0001_a.sql", "0003_c.sql"])
        #expect(sqlite.versionsElsewhere == [MigrationVersion(2), MigrationVersion(4)])
        #expect(fatal(sqlite).isEmpty)
        #expect(try fatal(set(names, .postgres)).isEmpty)
        #expect(try fatal(set(["0001_a.sql", "0002_b.postgres.sql", "0004_d.sql"], .sqlite)) == [.versionGap])
        #expect(try fatal(set(["0001_a.sql", "0003_c.sql"], .sqlite)) == [.versionGap])
    }

    @Test("Two files of one engine and version are two versions of one number")
    func duplicates() throws {
        let names = ["0001_a.sql", "0001_b.postgres.sql"]
        #expect(try fatal(set(names, .postgres)) == [.versionDuplicate])
        #expect(try fatal(set(["0001_a.postgres.sql", "001_a.postgres.sql"], .postgres)) == [.versionDuplicate])
    }

    @Test("A draft's number is above those of other engines")
    func draft() throws {
        let set = try set(["0001_a.sql", "0002_b.postgres.sql"], .sqlite)
        #expect(try MigrationDraft(named: "x", after: set).version == "0003")
    }

    @Test(
        "In a folder of another tool a word for the engine chooses the file, and is no part of its name"
    )
    func otherTools() throws {
        let names = ["1_a.postgres.up.sql", "1_a.postgres.down.sql"]
        let set = try MigrationSet(
            name: "test", files: names.map { (name: $0, content: "SELECT 1;") }, engine: .postgres)
        #expect(set.layout == .golangMigrate)
        #expect(set.files.map(\.name) == ["a"])
    }

    @Test(
        "Statements are read by the engine's own rules, with directives only where they are comments"
    )
    func lexis() throws {
        let content = """
            -- lockstep: up
            CREATE FUNCTION f() RETURNS text LANGUAGE sql AS $f$
            SELECT '
            -- lockstep: down
            '; $f$;
            /* a /* b */
            -- lockstep: down
            */
            -- lockstep: down
            DROP FUNCTION f();
            """
        let files = [(name: "0001_f.sql", content: content)]
        let postgres = try MigrationSet(name: "test", files: files, engine: .postgres)
        let up = try #require(postgres.files.first?.up.text)
        #expect(up.contains("$f$;") && up.contains("*/") && !up.contains("DROP"))
        #expect(postgres.files.first?.down?.text.contains("DROP FUNCTION") == true)
        Refusal.expect(.migrationMalformed) { _ = try MigrationSet(name: "test", files: files) }
    }

    @Test(
        "Spacing and comments make no other version of a dollar-quoted body's file, and its text does"
    )
    func checksums() throws {
        func tokens(_ sql: String) throws -> [UInt8]? {
            try MigrationSet(
                name: "test", files: [(name: "0001_f.sql", content: "-- lockstep: up\n\(sql)")], engine: .postgres
            ).files.first?.checksums.tokens
        }
        let one = try tokens("DO $$BEGIN; END$$;")
        #expect(try tokens("do /* a /* b */ */ $$BEGIN; END$$ ;") == one)
        #expect(try tokens("DO $$BEGIN;  END$$;") != one)
    }

    @Test("The checksums of SQLite's sets are those of before")
    func unchanged() throws {
        let content = "-- lockstep: up\nCREATE TABLE [a b] (\"x\" TEXT DEFAULT 'é', `y` BLOB DEFAULT x'00'); -- c\n"
        let file = try #require(MigrationSet(name: "test", files: [(name: "0001_a.sql", content: content)]).files.first)
        #expect(Hex.encode(file.checksums.tokens) == "38894d6208583bf2c7d73125a0b772c1312f88533c17e9167a62b0f7d162b872")
    }

    @Test("A set that was read for a server migrates no file")
    func otherEngine() throws {
        let set = try set(["0001_a.sql"], .postgres)
        let connection = try Connection.inMemory()
        Refusal.expect(.misuse) { _ = try Migrator(set).run(on: connection) }
        Refusal.expect(.misuse) { _ = try Migrator(set).plan(.latest, on: connection) }
    }
}
