import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Accepting edited files of applied versions")
final class RepairTests {
    private static let first = "CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT);"
    private static let second = "CREATE INDEX film_by_title ON film (title);"

    private let scratch: DatabaseScratch
    private let connection: Connection

    init() throws {
        scratch = try DatabaseScratch()
        connection = try scratch.create()
        _ = try Migrator(Self.set()).run(on: connection)
        try connection.execute("INSERT INTO film (title) VALUES ('Laura')")
    }

    private static func set(
        _ first: String = first, _ second: String = second, down: String? = nil, name: String = "0002_index.sql"
    ) throws -> MigrationSet {
        let way = down.map { "-- lockstep: down\n\($0)\n" } ?? ""
        return try MigrationSet(
            name: "films",
            files: [
                ("0001_film.sql", Scratch.up(first) + "\n" + way),
                (name, Scratch.up(second)),
            ])
    }

    private func repair(_ set: MigrationSet) -> Repair { Repair(sets: [set]) }

    private func ledger() throws -> [LedgerEntry] { try Ledger.entries(connection) }

    /// Nothing but the ledger changes, and afterwards the set migrates and verifies.
    private func requireAccepted(
        _ set: MigrationSet, _ parts: [[Repair.Change.Part]]
    ) throws {
        let (before, schema) = (try ledger(), try SchemaSnapshot(connection))
        #expect(throws: LockstepError.self) { try Migrator(set).run(on: connection) }
        #expect(try repair(set).changes(on: connection).map(\.parts) == parts)
        #expect(try ledger() == before)
        #expect(try repair(set).apply(on: connection).map(\.parts) == parts)
        #expect(try SchemaSnapshot(connection).differences(from: schema) == [])
        #expect(try connection.texts("SELECT title FROM film") == ["Laura"])
        let after = try ledger()
        #expect(after.map(\.position) == before.map(\.position))
        #expect(after.map(\.appliedAt) == before.map(\.appliedAt))
        #expect(try repair(set).changes(on: connection) == [])
        _ = try Migrator(set).run(on: connection)
        let repairs = try Ledger.repairs(connection)
        let changed = zip(before, after).filter { $0 != $1 }
        #expect(repairs.map(\.version) == changed.map(\.0.version))
        #expect(repairs.map(\.formerChecksum) == changed.map(\.0.checksums.bytes))
        #expect(repairs.map(\.checksum) == changed.map(\.1.checksums.bytes))
        #expect(repairs.map(\.formerName) == changed.map(\.0.name))
        let report = try Verification(scratch.path, sets: [set]).run(key: scratch.key())
        #expect(report.isClean, "\(report.messages)")
    }

    @Test("Other statements that make the same schema")
    func statements() throws {
        try requireAccepted(
            Self.set(
                "CREATE TABLE film (id INTEGER PRIMARY KEY);\nALTER TABLE film ADD COLUMN title TEXT;"
            ),
            [[.statements]])
    }

    @Test("Another name, another way down, another comment beside another statement")
    func rest() throws {
        try requireAccepted(
            Self.set(
                "-- films\n" + Self.first, "DROP INDEX IF EXISTS none;\n" + Self.second, down: "DROP TABLE film;",
                name: "0002_titles.sql"), [[.statements], [.statements, .name]])
    }

    @Test("A file that makes anything else is refused by what differs, and nothing is recorded") func other() throws {
        let before = try ledger()
        let sets = [
            try Self.set("CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT NOT NULL);"),
            try Self.set(Self.first + "\nCREATE TABLE more (x);"),
            try Self.set(Self.first, "CREATE INDEX film_by_title ON film (title DESC);"),
            try Self.set(Self.first, "DROP TABLE IF EXISTS none;"),
        ]
        for set in sets {
            Refusal.expect(.migrationChanged) { try repair(set).apply(on: connection) }
            Refusal.expect(.migrationChanged) { _ = try repair(set).changes(on: connection) }
        }
        let error = try #require(throws: LockstepError.self) {
            try repair(sets[1]).apply(on: connection)
        }
        #expect(error.message.contains("table more is missing"), "\(error)")
        // A file that does not run makes no schema.
        Refusal.expect(.migrationFailed) {
            try repair(Self.set("CREATE TABLE film (id;")).apply(on: connection)
        }
        #expect(try ledger() == before)
        #expect(try Ledger.repairs(connection) == [])
    }

    @Test("A schema that was changed by hand is accepted for no file, edited or not")
    func drift() throws {
        try connection.execute("ALTER TABLE film ADD COLUMN year INTEGER")
        let edited = try Self.set("-- x\n" + Self.first, "DROP TABLE IF EXISTS n;\n" + Self.second)
        Refusal.expect(.migrationChanged) { try repair(edited).apply(on: connection) }
        // A file that has the change now is what the database has.
        let set = try Self.set("CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT, year INTEGER);")
        #expect(try repair(set).apply(on: connection).map(\.parts) == [[.statements]])
    }

    @Test("A file that is gone, two files of one version, and a version in progress are refused")
    func uncertain() throws {
        let gone = try MigrationSet(name: "films", files: [("0002_index.sql", Scratch.up(Self.second))])
        Refusal.expect(.migrationMissing) { _ = try repair(gone).changes(on: connection) }
        let twice = try MigrationSet(
            name: "films",
            files: [
                ("0001_film.sql", Scratch.up(Self.first)), ("1_b.sql", Scratch.up(Self.first)),
                ("0002_index.sql", Scratch.up(Self.second)),
            ])
        Refusal.expect(.versionDuplicate) { _ = try repair(twice).changes(on: connection) }
        let begun = try MigrationSet(
            name: "films",
            files: [
                ("0001_film.sql", Scratch.up(Self.first)), ("0002_index.sql", Scratch.up(Self.second)),
                (
                    "0003_more.sql",
                    Scratch.up("-- lockstep: no transaction\nCREATE TABLE m (x);\nINSERT INTO film (id) VALUES (1);")
                ),
            ])
        #expect(throws: LockstepError.self) { try Migrator(begun).run(on: connection) }
        Refusal.expect(.migrationUnfinished) { _ = try repair(begun).changes(on: connection) }
    }

    private static func named(_ first: String, _ second: String, _ more: (String, String)...) throws -> MigrationSet {
        try MigrationSet(
            name: "films",
            files: ([(first, Scratch.up(Self.first) + "\n"), (second, Scratch.up(Self.second))] + more).map {
                (name: $0.0, content: $0.1)
            })
    }

    @Test("A file with another version and the same text is that of the version whose file is gone")
    func renamed() throws {
        let before = try ledger()
        let set = try Self.named("20240101000000_film.sql", "20240102000000_titles.sql")
        Refusal.expect(.migrationMissing) { _ = try Migrator(set).run(on: connection) }
        let changes = try repair(set).changes(on: connection)
        #expect(changes.map(\.parts) == [[.version], [.version, .name]])
        #expect(changes.map(\.newVersion.description) == ["20240101000000", "20240102000000"])
        #expect(try repair(set).apply(on: connection) == changes)
        let after = try ledger()
        #expect(after.map(\.version) == changes.map(\.newVersion) && after.map(\.position) == before.map(\.position))
        #expect(try Ledger.repairs(connection).map(\.formerName) == ["1_film", "2_index"])
        #expect(try repair(set).changes(on: connection) == [])
        _ = try Migrator(set).run(on: connection)
        #expect(try Verification(scratch.path, sets: [set]).run(key: scratch.key()).isClean)
    }

    @Test("A file of another order, of two texts or beside the version's own is not taken for it")
    func notRenamed() throws {
        let before = try ledger()
        let first = Scratch.up(Self.first) + "\n"
        for set in [
            try Self.named("20240103000000_film.sql", "20240102000000_index.sql"),
            try Self.named("0003_film.sql", "0002_index.sql"),
            try Self.named("20240101000000_film.sql", "20240103000000_index.sql", ("20240102000000_film.sql", first)),
        ] {
            Refusal.expect(.migrationMissing) { _ = try repair(set).apply(on: connection) }
        }
        // A new version can have the text of an old one.
        let again = try Self.named("0001_film.sql", "0002_index.sql", ("0003_index.sql", Scratch.up(Self.second)))
        #expect(try repair(again).changes(on: connection) == [])
        #expect(try ledger() == before)
    }

    @Test("A record with a MAC gets a new one, and takes the keys of its dataset for that") func codes() throws {
        let scratch = try DatabaseScratch()
        var options = ConnectionOptions()
        options.fieldKeys = [try CellWorkbench.keys()]
        options.mayBeUnsealed = true
        let connection = try scratch.create(options)
        _ = try Migrator(Self.set()).run(on: connection)
        let edited = try Self.set("DROP TABLE IF EXISTS none;\n" + Self.first)
        let before = try LedgerRows.read(connection)
        let plain = try scratch.open()
        Refusal.expect(.keyUnavailable) { try repair(edited).apply(on: plain) }
        #expect(try LedgerRows.read(connection) == before)
        #expect(try repair(edited).apply(on: connection).count == 1)
        let after = try Ledger.entries(connection)
        #expect(after[0].code != before[0].code && after[0].code != nil)
        #expect(after[1] == before[1])
    }

    @Test("A pending version, and another set, stay what they are")
    func pending() throws {
        let other = try MigrationSet(name: "other", files: [("0001_a.sql", Scratch.up("CREATE TABLE a (x);"))])
        _ = try Migrator(other).run(on: connection)
        let edited = try MigrationSet(
            name: "films",
            files: [
                ("0001_film.sql", Scratch.up("DROP TABLE IF EXISTS none;\n" + Self.first)),
                ("0002_index.sql", Scratch.up(Self.second)), ("0003_more.sql", Scratch.up("CREATE TABLE more (x);")),
            ])
        // What the other set makes is not known.
        Refusal.expect(.migrationMissing) { try repair(edited).apply(on: connection) }
        #expect(try Repair(sets: [edited, other]).apply(on: connection).count == 1)
        _ = try Migrator(edited).run(on: connection)
        #expect(try ledger().map(\.position) == [1, 2, 3, 4])
    }
}
