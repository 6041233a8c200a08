import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

/// The README's samples only need public API.
@Suite("The README")
struct ReadmeTests {
    /// Its database of films, at a version of the set.
    private func films(
        _ version: UInt64, fieldKeys: [FieldKeys] = []
    ) throws -> TemporaryFolder {
        let sample = try SampleFolder()
        let keyring = try sample.keyring("films")
        var options = ConnectionOptions()
        options.fieldKeys = fieldKeys
        let connection = try Connection.create(
            sample.folder.file("films.db"), key: keyring.activeDatabaseKey(), options: options)
        _ = try Migrator(ModelMigrations.set("movies")).run(
            .version(MigrationVersion(version)), on: connection)
        try connection.execute(
            """
            INSERT INTO \(verbatim: version < 3 ? "movies" : "movies_open")
                (title, category, year, coverURL) VALUES ('Metropolis', 'Drama', 1927, '')
            """)
        return sample.folder
    }

    @Test("A sealed title is found")
    func sealedColumns() async throws {
        let fieldsKeyring = try Keyring.create(.fields)
        let folder = try films(3, fieldKeys: [fieldsKeyring.fieldKeys(named: "movies")])
        let keyring = try KeyringFile.database(beside: folder.file("films.db")).open { _ in
            try KeyFile.read(folder.file("my.key"))
        }
        // sample: README.md
        var options = StoreOptions()
        options.connection.fieldKeys = [try fieldsKeyring.fieldKeys(named: "movies")]
        let store = try Store.open(
            folder.file("films.db"), key: keyring.databaseKey(for: folder.file("films.db")),
            options: options)
        let years = try await store.read { db in
            let found = try db.matching(
                "title", of: "movies", .same(as: .text("metropolis"), under: .casefold))
            return try db.query("SELECT year FROM movies_open WHERE \(found)") { row in
                try row[0] as Int
            }
        }
        // end
        #expect(years == [1927])
    }

    @Test("Values interpolated into SQL are bound")
    func interpolation() async throws {
        let store = try Store.inMemory()
        try await store.write { db in
            try db.run(
                script: "CREATE TABLE movies (title, year); INSERT INTO movies VALUES ('M', 1931)")
        }
        let years = [1927, 1931]
        // sample: README.md
        let films = try await store.read { db in
            try db.query("SELECT title FROM movies WHERE year IN \(list: years)") { row in
                try row[0] as String
            }
        }
        // end
        #expect(films == ["M"])
    }
}
