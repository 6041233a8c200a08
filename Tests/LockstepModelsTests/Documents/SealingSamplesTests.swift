import Lockstep
import SystemPackage
import TestSupport
import Testing

@Suite("The samples about sealed columns")
struct SealingSamplesTests {
    private static let article = "Sources/Lockstep/Lockstep.docc/SealingColumns.md"

    /// A database of films in a folder, with titles that the article's migration seals.
    private func makeFilms(in sample: SampleFolder, _ dataset: borrowing Keyring) throws {
        let shown = try #require(Samples.shown(in: Self.article, "sql").first)
        let film = "CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT, year INTEGER);"
        let set = try MigrationSet(
            name: "films", files: [("0001_film.sql", "-- lockstep: up\n\(film)"), ("0002_seal.sql", shown)])
        let keys = try dataset.fieldKeys(named: "catalogue")
        try sample.database("films", sets: [set], fieldKeys: [keys])
    }

    private func key(_ folder: TemporaryFolder) throws -> DatabaseKey {
        try KeyringFile.database(beside: folder.file("films.db")).open { _ in
            try KeyFile.read(folder.file("my.key"))
        }.activeDatabaseKey()
    }

    @Test("The view, single cells and look-ups read what was written")
    func reading() async throws {
        let sample = try SampleFolder()
        let keyring = try sample.fieldsKeyring("catalogue", beside: "films")
        try makeFilms(in: sample, keyring)
        let folder = sample.folder
        // sample: SealingColumns.md
        let store = try await Store.open(
            folder.file("films.db"), key: .keyFile(folder.file("my.key")), sealed: Dataset("catalogue"))

        try await store.write { db in
            try db.execute("INSERT INTO film_open (title, year) VALUES (?, ?)", "Casablanca", 1942)
        }
        let titles = try await store.read { db in
            try db.query("SELECT title FROM film_open WHERE year < ?", 1950) { row in
                try row[0] as String
            }
        }
        // end
        #expect(titles == ["Casablanca"])
        try await store.read { db in
            // sample: SealingColumns.md
            let title = try db.opening("title", of: "film", key: "id")
            let titles = try db.query("SELECT \(title) FROM film WHERE year = 1942") { row in
                try row[0] as String
            }
            // end
            #expect(titles == ["Casablanca"])
            // sample: SealingColumns.md
            let found = try db.matching("title", of: "film", .same(as: .text("casablanca"), under: .casefold))
            let years = try db.query("SELECT year FROM film_open WHERE \(found)") { row in
                try row[0] as Int
            }
            // end
            #expect(years == [1942])
        }
    }

    @Test("The keyring remembers the database")
    func memory() throws {
        let sample = try SampleFolder()
        try makeFilms(in: sample, sample.fieldsKeyring("catalogue", beside: "films"))
        let folder = sample.folder
        let file = try KeyringFile.fields(of: "catalogue", beside: folder.file("films.db"))
        var options = StoreOptions()
        options.connection.fieldKeys = [
            try file.open { _ in try KeyFile.read(folder.file("my.key")) }
                .fieldKeys(named: "catalogue")
        ]
        let store = try Store.open(
            folder.file("films.db"), rawKey: key(folder), options: options)
        // sample: SealingColumns.md
        var keyring = try file.open { _ in try KeyFile.read(folder.file("my.key")) }
        try store.blocking.withoutTransaction { db in _ = try file.remember(&keyring, sealedIn: db) }
        // end
        #expect(keyring.sealedMemory.records.count == 1)
    }
}
