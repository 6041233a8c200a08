import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The operator writes into `lockstep_progress`: a run would leave out what the row says is done.
struct ProgressForgeryTests {
    private struct Stop: Error {}

    private let bench: SealedTableWorkbench
    private let set: MigrationSet
    private let titles = (0..<10).map { SealedTableWorkbench.title($0) }

    init() throws {
        bench = try SealedTableWorkbench(rows: 10, keys: CellWorkbench.keys(named: "catalogue"))
        set = try MigrationSet(
            name: "films",
            files: [
                (
                    name: "0001_seal.sql",
                    content: """
                    -- lockstep: up
                    -- lockstep: protect film.title dataset=catalogue batch=3
                    -- lockstep: down
                    -- lockstep: unprotect film.title dataset=catalogue batch=3
                    """
                )
            ])
    }

    private func begin(_ connection: borrowing Connection) throws {
        let stopping = Migrator(set) { event in if case .advanced = event { throw Stop() } }
        #expect(throws: Stop.self) { _ = try stopping.run(on: connection) }
    }

    private func tamper(_ sql: String) throws {
        let connection = try bench.open([])
        try connection.with(rights: .engine) { try connection.run(script: sql) }
    }

    private func types() throws -> [String?] {
        try bench.open([]).texts("SELECT DISTINCT typeof(title) FROM film")
    }

    /// A row that says that the sealing is done, as far as a key is not needed for it.
    private func forgery() throws -> UnfinishedMigration {
        let migration = try #require(set.migrations.first)
        guard case .file(let file) = migration else { throw Stop() }
        let segments = try file.up.segments(migration.origin(in: set.name))
        var row = UnfinishedMigration(
            set: set.name, version: migration.version, name: migration.name, isUp: true, startedAt: 1,
            checksums: migration.checksums, down: migration.recordedDown, segment: segments.count, cursor: .null)
        row.completed = try CompletedPart(segments).digest(segment: segments.count, cursor: .null, hasBegun: false)
        return row
    }

    @Test("A forged row lets no run leave out a sealing")
    func skipping() throws {
        do {
            let connection = try bench.open([])
            try connection.with(rights: .engine) {
                try MigrationProgress.record(forgery(), connection)
            }
        }
        let connection = try bench.open()
        Refusal.expect(.migrationUnfinished) { _ = try Migrator(set).run(on: connection) }
        Refusal.expect(.migrationUnfinished) { _ = try Migrator(set).preview(on: connection) }
        Refusal.expect(.migrationUnfinished) { _ = try Ledger.history(connection) }
        #expect(try Ledger.entries(connection).isEmpty)
        let error = try #require(throws: LockstepError.self) {
            _ = try Migrator(set).run(on: connection)
        }
        #expect(error.message.contains("version 1 of films"))
        #expect(error.hint != nil)
        // Giving it up needs no proof, and the sealing then runs.
        try #require(try Ledger.unfinished(connection).first).abandon(on: connection)
        _ = try Migrator(set).run(on: connection)
        #expect(try types() == ["blob"])
        #expect(try connection.read { try $0.texts("SELECT title FROM film_open") } == titles)
    }

    @Test("A run that leaves a declared column in plaintext fails, whatever the row proves") func afterwards() throws {
        let connection = try bench.open()
        try connection.with(rights: .engine) {
            try MigrationProgress.record(forgery(), connection)
        }
        Refusal.expect(.registryMissing) { _ = try Migrator(set).run(on: connection) }
    }

    @Test(
        "A row that was changed is refused",
        arguments: [
            "segment = segment + 1", "segment = segment + 9", "cursor = 5", "cursor = x'00'",
            "cursor = 1.5",
            "cursor = 'a'", "name = name || 'x'", "down = NULL", "down = 'DROP TABLE film'",
            "checksum_bytes = zeroblob(32)", "checksum_text = zeroblob(32)",
            "checksum_tokens = zeroblob(32)", "started_at = started_at + 1",
            "completed = zeroblob(32)", "completed = NULL", "mac = zeroblob(32)",
            "mac_key_version = 9", "mac_dataset = zeroblob(16)", "version = '2'", "is_up = 0",
            "mac = NULL, mac_dataset = NULL, mac_key_version = NULL", "mac = NULL",
            "mac = zeroblob(31)", "\"set\" = 'others'",
        ])
    func changed(_ change: String) throws {
        do {
            let connection = try bench.open()
            try begin(connection)
        }
        try tamper("UPDATE lockstep_progress SET \(change)")
        let connection = try bench.open()
        let code = try Refusal.code { _ = try Migrator(set).run(on: connection) }
        #expect([.tampered, .migrationUnfinished].contains(code), "\(change): \(String(describing: code))")
        #expect(try Ledger.entries(connection).isEmpty)
    }

    @Test(
        "A row continues with its keys, after a new field key too, and not with those of another dataset"
    )
    func continued() throws {
        do {
            let connection = try bench.open()
            try begin(connection)
        }
        do {
            let other = try bench.open([
                CellWorkbench.keys(dataset: [UInt8](repeating: 1, count: 16), named: "elsewhere")
            ])
            Refusal.expect(.migrationUnfinished) { _ = try Migrator(set).run(on: other) }
        }
        let connection = try bench.open()
        _ = try Migrator(set).run(on: connection)
        #expect(try types() == ["blob"])
        #expect(try connection.read { try $0.texts("SELECT title FROM film_open") } == titles)
        try tamperedDown()
    }

    /// The way down is proven in the same way.
    private func tamperedDown() throws {
        do {
            let connection = try bench.open()
            let stopping = Migrator(set) { event in if case .advanced = event { throw Stop() } }
            #expect(throws: Stop.self) { _ = try stopping.run(.back(1), on: connection) }
        }
        try tamper("UPDATE lockstep_progress SET segment = segment + 1")
        let connection = try bench.open()
        Refusal.expect(.tampered) { _ = try Migrator(set).run(.back(1), on: connection) }
    }

    /// As in the article Migrating, whose MAC was computed from its text alone.
    @Test("The article's example")
    func example() throws {
        func checksum(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }
        var row = UnfinishedMigration(
            set: "movies", version: MigrationVersion(2), name: "add_ratings", isUp: true,
            startedAt: 1_780_000_000_000_000,
            checksums: MigrationChecksums(
                bytes: checksum(1), text: checksum(2), tokens: checksum(3)),
            down: nil, segment: 4, cursor: .text("c"))
        row.completed = checksum(4)
        let code = try #require(try LedgerCodes([CellWorkbench.keys()]).code(for: row))
        #expect(code.keyVersion == 3)
        #expect(Hex.encode(code.mac) == "eb8a20b1064e6432c4ee7a5b20a45aeb06c802714caa3f0ce86953e2ec2ad39a")
    }

    private static let fill = """
        -- lockstep: up
        -- lockstep: backfill film batch=3
        UPDATE film SET year = year + 1 WHERE id BETWEEN :first AND :last;
        """

    @Test("What an earlier build, or a run without keys, has begun goes on without keys") func withoutKeys() throws {
        let set = try MigrationSet(name: "films", files: [(name: "0001_fill.sql", content: Self.fill)])
        do {
            let connection = try bench.open([])
            let stopping = Migrator(set) { event in if case .advanced = event { throw Stop() } }
            #expect(throws: Stop.self) { _ = try stopping.run(on: connection) }
        }
        // The table of the build before.
        try tamper(
            """
            ALTER TABLE lockstep_progress DROP COLUMN mac;
            ALTER TABLE lockstep_progress DROP COLUMN mac_dataset;
            ALTER TABLE lockstep_progress DROP COLUMN mac_key_version;
            """)
        do {
            let connection = try bench.open()
            Refusal.expect(.migrationUnfinished) { _ = try Migrator(set).run(on: connection) }
        }
        let connection = try bench.open([])
        _ = try Migrator(set).run(on: connection)
        #expect(try connection.value("SELECT sum(year) FROM film", as: Int.self) == 19_065)
    }
}
