import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Folders of other tools for a server")
struct EngineFoldersTests {
    private static func versions(
        _ layout: MigrationLayout, _ files: [(name: String, content: String)], _ engine: DatabaseEngine
    ) throws(LockstepError) -> [String] {
        try MigrationSet(name: "s", layout: layout, files: files, engine: engine).files.map {
            "\($0.version) \($0.name)"
        }
    }

    @Test(
        "A tool's settings say for which engine the folder is, and the other one refuses it",
        arguments: [
            (
                MigrationLayout.prisma, "20240131120000_a/migration.sql", "migration_lock.toml",
                "provider = \"postgresql\"", "provider = \"sqlite\""
            ),
            (
                .drizzle, "0000_a.sql", "meta/_journal.json",
                #"{"dialect": "postgresql", "entries": [{"idx": 0, "tag": "0000_a"}]}"#,
                #"{"dialect": "sqlite", "entries": [{"idx": 0, "tag": "0000_a"}]}"#
            ),
        ])
    func settings(
        _ layout: MigrationLayout, _ file: String, _ settings: String, _ server: String,
        _ own: String
    ) throws {
        for (text, engine, title) in [(server, DatabaseEngine.postgres, "SQLite"), (own, .sqlite, "PostgreSQL")] {
            let files = [(name: file, content: "SELECT 1;"), (name: settings, content: text)]
            #expect(try Self.versions(layout, files, engine).count == 1)
            let other = engine == .sqlite ? DatabaseEngine.postgres : .sqlite
            let error = #expect(throws: LockstepError.self) {
                _ = try Self.versions(layout, files, other)
            }
            #expect(error?.code == .migrationMalformed)
            #expect(error?.hint?.contains("only migrations for \(title) run here") == true)
        }
    }

    @Test(
        "Versions of diesel that differ only in zeros after the seconds are two, in the order of their texts"
    )
    func zeros() throws {
        let names = [
            "2026-05-27-120000-0000_b", "2026-05-27-120000_a", "2026-05-27-120000-0001_c", "2026-05-28-120000-0000_d",
        ]
        let files = names.flatMap {
            [(name: "\($0)/up.sql", content: "SELECT 1;"), (name: "\($0)/down.sql", content: "SELECT 2;")]
        }
        #expect(
            try Self.versions(.diesel, files, .sqlite) == [
                "20260527120000 a", "20260527120000.0.4 b", "20260527120000.1 c", "20260528120000 d",
            ])
        let set = try MigrationSet(name: "s", layout: .diesel, files: files)
        #expect(Plan(set, history: MigrationHistory(), target: .latest).steps.count == 4)
        #expect(MigrationVersion("20260527120000.0.4")?.description == "20260527120000.0.4")
    }
}
