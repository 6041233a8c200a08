import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("What one folder seals for two engines")
struct EngineAgreementTests {
    private static let make = "-- lockstep: up\nCREATE TABLE t (a BLOB, b BLOB);\n"
    private static func protect(_ column: String, _ more: String = "") -> String {
        "-- lockstep: protect t.\(column) dataset=d\(more)\n"
    }

    private static func findings(_ files: [(name: String, content: String)]) throws -> [String] {
        let sets = try DatabaseEngine.allCases.map {
            try MigrationSet(name: "s", layout: .native, files: files, engine: $0)
        }
        let there = EngineAgreement(sets[0], sets[1]).findings(.error)
        let back = EngineAgreement(sets[1], sets[0]).findings(.warning)
        #expect(there.map(\.line) == back.map(\.line))
        #expect(there.allSatisfy { $0.rule == "sets-out-of-step" && $0.level == .error })
        #expect(back.allSatisfy { $0.level == .warning })
        return there.map { "\($0.file):\($0.line): \($0.message)" }
    }

    @Test("Files that seal the same are in step, whatever their other SQL, batches and letters") func same() throws {
        #expect(
            try Self.findings([
                ("0001_t.sql", Self.make + Self.protect("a") + Self.protect("b", " padding=32")),
                (
                    "0001_t.postgres.sql",
                    "-- lockstep: up\nCREATE TABLE t (a bytea, b bytea);\n" + Self.protect("A")
                        + Self.protect("b", " padding=32 batch=7")
                ),
                ("0002_u.postgres.sql", "-- lockstep: up\nSELECT 1;\n"),
                ("0003_v.sql", "-- lockstep: up\nSELECT 1;\n"),
            ]).isEmpty)
    }

    @Test(
        "A column that one engine alone seals, or in another order or way, is named with file and line",
        arguments: [
            (
                protect("a"), "",
                "0001_t.sql:3: `protect \"t\".\"a\" dataset=d` is missing in the file for PostgreSQL, 0001_t.postgres.sql"
            ),
            (
                "", protect("a"),
                "0001_t.postgres.sql:3: `protect \"t\".\"a\" dataset=d` is missing in the file for SQLite, 0001_t.sql"
            ),
            (
                protect("a") + protect("b"), protect("b") + protect("a"),
                "0001_t.sql:3: `protect \"t\".\"a\" dataset=d` is `protect \"t\".\"b\" dataset=d` in the file for PostgreSQL, 0001_t.postgres.sql"
            ),
            (
                protect("a", " mode=deterministic"), protect("a"),
                "0001_t.sql:3: `protect \"t\".\"a\" dataset=d mode=deterministic` is `protect \"t\".\"a\" dataset=d` in the file for PostgreSQL, 0001_t.postgres.sql"
            ),
            (
                "-- lockstep: down\n-- lockstep: unprotect t.a dataset=d\n", "",
                "0001_t.sql:4: `unprotect \"t\".\"a\" dataset=d` is missing in the file for PostgreSQL, 0001_t.postgres.sql"
            ),
        ])
    func different(_ ours: String, _ theirs: String, _ message: String) throws {
        let found = try Self.findings([("0001_t.sql", Self.make + ours), ("0001_t.postgres.sql", Self.make + theirs)])
        #expect(found == [message])
    }

    @Test("A version for one engine alone seals nothing, and names its engine in every file") func alone() throws {
        #expect(
            try Self.findings([
                ("0001_t.sql", Self.make), ("0002_u.sqlite.sql", "-- lockstep: up\n" + Self.protect("a")),
            ]) == ["0002_u.sqlite.sql:2: `protect \"t\".\"a\" dataset=d` is for SQLite alone"])
        let folder = [(name: "V1__t.sql", content: "SELECT 1;"), (name: "V2__u.sql", content: "SELECT 1;")]
        let one = try MigrationSet(name: "s", layout: .flyway, files: folder)
        let other = try MigrationSet(name: "s", layout: .flyway, files: [folder[0]], engine: .postgres)
        let found = EngineAgreement(one, other).findings(.error)
        #expect(found.map(\.message) == ["PostgreSQL has no file of this version"])
        #expect(found.map(\.file) == ["V2__u.sql"])
    }
}
