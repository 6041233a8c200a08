import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Layouts whose tools keep a list of the files, or settings, beside them.
@Suite("Migration layouts with lists")
struct ListedLayoutTests {
    private func expectRefusal(
        _ files: [String: String], _ layout: MigrationLayout? = nil, _ words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let error = try #require(try LayoutFolder.error(files, layout), sourceLocation: sourceLocation)
        #expect(error.code == .migrationMalformed, sourceLocation: sourceLocation)
        #expect(error.hint != nil, sourceLocation: sourceLocation)
        for word in words {
            #expect(
                error.message.contains(word), "\(error.message)", sourceLocation: sourceLocation)
        }
    }

    private func journal(_ tags: String...) -> String {
        let entries = tags.enumerated().map { "{\"idx\": \($0), \"tag\": \"\($1)\"}" }
        return "{\"entries\": [\(entries.joined(separator: ", "))]}"
    }

    // MARK: drizzle

    @Test("drizzle's journal names every file, once and in order")
    func journals() throws {
        let path = "meta/_journal.json"
        try expectRefusal([path: journal("0000_a")], nil, path, "0000_a.sql")
        try expectRefusal([path: journal("0000_a"), "0000_a.sql": "", "0001_b.sql": ""], nil, "0001_b.sql", path)
        try expectRefusal([path: journal("0001_b", "0000_a"), "0000_a.sql": "", "0001_b.sql": ""], nil, "0000_a")
        try expectRefusal([path: journal("0000_a", "0000_a"), "0000_a.sql": ""], nil, "0000_a")
        try expectRefusal([path: "{\"entries\": [{\"idx\": 1, \"tag\": \"0000_a\"}]}", "0000_a.sql": ""], nil, "idx")
        try expectRefusal([path: journal("a"), "a.sql": "", "1_a.sql": ""], nil, "no number")
        let folder = try LayoutFolder([path: journal("0000_a"), "0000_a.sql": "SELECT 1;", "views.sql": "nonsense"])
        #expect(try folder.set().ignoredFiles == ["views.sql"])
    }

    @Test(
        "A journal that is none, and one for another database, are refused",
        arguments: [
            "", "[]", "{", "{\"entries\": 1}", "{\"entries\": [1]}", "{\"entries\": [{}]}",
            "{\"entries\": [{\"idx\": 0, \"tag\": 5}]}", "{\"entries\": [{\"idx\": 0, \"tag\": \"../a\"}]}",
            "{\"dialect\": \"postgresql\", \"entries\": []}", "\"\\ud800\"",
        ])
    func badJournals(_ text: String) throws {
        try expectRefusal(["meta/_journal.json": text], nil, "meta/_journal.json")
    }

    @Test("A breakpoint ends a statement, and its removal is a change")
    func breakpoints() throws {
        func findings(_ before: String, _ after: String) throws -> [LockstepError.Code] {
            func set(_ text: String) throws -> MigrationSet {
                try LayoutFolder([
                    "meta/_journal.json": journal("0000_a"), "0000_a.sql": text,
                ]).set()
            }
            let connection = try Connection.inMemory()
            _ = try Migrator(set(before)).run(on: connection)
            return try Migrator(set(after)).plan(.latest, on: connection).findings
                .filter(\.isFatal).map(\.error.code)
        }
        let whole = "CREATE TABLE a (x)\n--> statement-breakpoint\nCREATE TABLE b (x)"
        #expect(try findings(whole, whole + "\n") == [])
        #expect(try findings(whole, "CREATE TABLE a (x);\nCREATE TABLE b (x)") != [])
    }

    // MARK: Prisma

    @Test("Prisma's migrations for another database are refused, and so are folders without any") func prisma() throws {
        try expectRefusal(
            ["migration_lock.toml": "provider = \"postgresql\"", "1_a/migration.sql": ""], nil,
            "migration_lock.toml", "postgresql")
        try expectRefusal(["1_a/migration.sql": "", "2_b/other.sql": ""], nil, "2_b/other.sql", "migration.sql")
        try expectRefusal(["1_a/migration.sql": "", "b/migration.sql": ""], nil, "b/migration.sql")
        let set = try LayoutFolder(["1_a/migration.sql": "", "1_a/seed.sql": "", "2_b/x.md": ""]).set()
        #expect(set.ignoredFiles == ["1_a/seed.sql"] && set.files.count == 1)
        // By name, 10 comes before 2.
        try expectRefusal(["2_a/migration.sql": "", "10_b/migration.sql": ""], nil, "10_b")
    }

    // MARK: rusqlite_migration

    @Test("rusqlite_migration counts from 1, without gaps")
    func rusqlite() throws {
        try expectRefusal(["00-a/up.sql": "", "01-b/up.sql": ""], nil, "00-a/up.sql", "from 1")
        try expectRefusal(["01-a/up.sql": "", "02-b/down.sql": ""], nil, "02-b/down.sql")
        try expectRefusal(["01-a/up.sql": "", "b/up.sql": ""], nil, "b/up.sql")
        let gap = try LayoutFolder(["01-a/up.sql": "", "03-b/up.sql": ""]).set()
        let findings = Plan(gap, ledger: [], target: .latest).findings
        #expect(findings.contains { $0.error.code == .versionGap })
    }

    // MARK: Markers

    @Test("Statements between markers that do not divide are refused")
    func markers() throws {
        let up = "-- Up\nCREATE TABLE a (x);\n"
        try expectRefusal(["1_a.sql": up + "-- Down\n-- Down\nDROP TABLE a;"], .markers, "1_a.sql:4")
        try expectRefusal(["1_a.sql": "-- Down\nSELECT 1;\n-- Up\nSELECT 2;"], .markers, "1_a.sql")
        try expectRefusal(["1_a.sql": "SELECT 1;\n" + up], .markers, "1_a.sql:2")
        // npm's sqlite would divide the file at this line.
        try expectRefusal(
            ["1_a.sql": up + "-- down the road we drop it\nDROP TABLE a;"], .markers, "1_a.sql:3", "npm's sqlite")
        try expectRefusal(["1_a.sql": up + "-- +goose Down\nSELECT 1;"], .markers, "goose")
        try expectRefusal(["1_a.up.sql": up], .markers, "1_a.up.sql")
    }

    // MARK: Loose names

    @Test("A name whose number cannot be read is refused")
    func numbers() throws {
        try expectRefusal(["1-a.sql": "", "2a.sql": ""], nil, "2a.sql")
        try expectRefusal(["1-a.sql": "", "2-b.SQL": ""], nil, "2-b.SQL")
        try expectRefusal(["1-a.undo.sql": "SELECT 1;"], .numbered, "1-a.undo.sql", "version 1")
        try expectRefusal(["1-a.sql": "-- +goose Up\n"], .numbered, "goose")
        let plan = Plan(try LayoutFolder(["1-a.sql": "", "01-b.sql": ""]).set(), ledger: [], target: .latest)
        #expect(plan.findings.map(\.error.code) == [.versionDuplicate])
    }
}
