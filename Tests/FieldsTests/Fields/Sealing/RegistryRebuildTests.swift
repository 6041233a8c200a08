import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("A registry that is made again")
struct RegistryRebuildTests {
    private let films: RememberedScratch

    init() throws {
        films = try RememberedScratch()
        try films.seal("title", "plot")
    }

    @discardableResult
    private func rebuild() throws -> RegistryRebuild {
        let keys = try films.keyring().fieldKeys(named: "films")
        return try RegistryRebuild.run(keys, in: films.openWithout())
    }

    private func isNeeded() throws -> Bool {
        try RegistryRebuild.isNeeded(films.keyring().fieldKeys(named: "films"), in: films.openWithout())
    }

    private func expectUnproven(_ title: String, _ reason: String) throws {
        let before = try Bytes.read(films.scratch.path)
        let error = try #require(throws: LockstepError.self) { try rebuild() }
        #expect(error.code == .registryForged)
        #expect(error.message.contains(title) && error.message.contains(reason), "\(error.message)")
        #expect(error.hint != nil)
        #expect(try Bytes.read(films.scratch.path) == before)
    }

    private static let tables = [
        EngineTables.datasets, EngineTables.columns, EngineTables.indexes, EngineTables.fieldKeys,
    ]

    @Test(
        "Each table can be lost, as a whole or its rows, and then all of them",
        arguments: tables + ["all"], ["DROP TABLE", "DELETE FROM"])
    func lost(_ table: String, _ removal: String) throws {
        #expect(try !isNeeded())
        for table in table == "all" ? Self.tables : [table] {
            try films.tamper("\(removal) \(table)")
        }
        #expect(throws: LockstepError.self) { try films.open() }
        #expect(try isNeeded())
        let registry = try rebuild()
        #expect(registry.columns.map(\.title) == ["film.plot", "film.title"])
        #expect(registry.columns.map(\.cells) == [100, 100])
        #expect(try !isNeeded())
        #expect(try films.titles() == 150)
        let found: Int? = try films.open().value("SELECT id FROM film_open WHERE title = 'title 7'")
        #expect(found == 7)
        try films.remember()
        #expect(try films.titles() == 150)
        // It can go on being changed.
        try films.open().unprotect("plot", of: "film", keys: films.keyring().fieldKeys(named: "films"))
    }

    @Test("The new registry is newer than any that the keyring remembers")
    func newer() throws {
        let before = try Bytes.read(films.scratch.path)
        try films.tamper("DELETE FROM lockstep_dataset")
        try rebuild()
        try films.remember()
        try Bytes.write(before, to: films.scratch.path)
        #expect(throws: LockstepError.self) { try films.open() }
    }

    @Test("Two columns that were exchanged are refused by their cells")
    func exchanged() throws {
        try films.tamper(
            "ALTER TABLE film RENAME COLUMN title TO other", "ALTER TABLE film RENAME COLUMN plot TO title",
            "ALTER TABLE film RENAME COLUMN other TO plot", "DELETE FROM lockstep_column")
        try expectUnproven("film.plot", "does not authenticate")
    }

    @Test("So are the rows of one column in the other, and values that are not sealed")
    func moved() throws {
        let triggers = try films.openWithout().query(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
        ) { row in try row[0] as String }
        for trigger in triggers { try films.tamper("DROP TRIGGER \"\(trigger)\"") }
        try films.tamper("UPDATE film SET title = plot WHERE id > 1", "DROP TABLE lockstep_dataset")
        try expectUnproven("film.title", "does not authenticate")
        try films.tamper("UPDATE film SET title = 'title ' || id")
        try expectUnproven("film.title", "not sealed")
    }

    @Test("A few cells can be damaged")
    func damaged() throws {
        try films.tamper(
            "UPDATE film SET title = (SELECT title FROM film WHERE id = 9) WHERE id = 1", "DROP TABLE lockstep_column")
        #expect(try rebuild().columns.map(\.cells) == [100, 99])
    }

    @Test("Tokens of other values are refused")
    func tokens() throws {
        try films.tamper("UPDATE film SET title_casefold_token = plot_casefold_token", "DELETE FROM lockstep_index")
        try expectUnproven("film.title", "tokens")
    }

    @Test("An old keyring does not know a column that was sealed since, which is named") func oldLine() throws {
        let films = try RememberedScratch()
        try films.seal("title")
        let old = try Bytes.read(films.file.path)
        try films.seal("plot")
        try films.tamper("DELETE FROM lockstep_dataset")
        try Bytes.write(old, to: films.file.path)
        let keys = try films.keyring().fieldKeys(named: "films")
        let error = try #require(throws: LockstepError.self) {
            try RegistryRebuild.run(keys, in: films.openWithout())
        }
        #expect(error.code == .registryForged && error.message.contains("film.plot"))
    }

    @Test("A column that was renamed or dropped since is named")
    func gone() throws {
        try films.tamper("ALTER TABLE film RENAME COLUMN plot TO story", "DELETE FROM lockstep_dataset")
        try expectUnproven("film.story", "does not remember it")
    }

    @Test("Cells under a key that the keyring has no more prove nothing")
    func missingKey() throws {
        var keyring = try films.keyring()
        let version = try keyring.createKey(.field)
        _ = try keyring.activateKey(.field, version: version)
        try keyring.setState(.field, version: 1, to: .destroyed, today: .today)
        try films.file.save(&keyring)
        try films.tamper("DELETE FROM lockstep_dataset")
        try expectUnproven("film.plot", "destroyed")
    }

    @Test("Columns without values stay sealed, and are named as not proven")
    func empty() throws {
        try films.tamper("DELETE FROM film", "DELETE FROM lockstep_column")
        #expect(try rebuild().columns.map(\.cells) == [0, 0])
        let connection = try films.open()
        try connection.execute("INSERT INTO film_open VALUES (1, 'title 1', 'plot 1')")
        #expect(try connection.value("SELECT typeof(title) FROM film") == "blob")
    }

    @Test("A keyring that remembers nothing of the database makes no registry")
    func unknown() throws {
        try films.tamper("UPDATE lockstep_keyring SET database = randomblob(16) WHERE ring = zeroblob(16)")
        #expect(try !isNeeded())
        Refusal.expect(.registryMissing) { try rebuild() }
    }
}
