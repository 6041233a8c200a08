import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

/// The README's example, word for word except the paths: it only needs public API.
@Suite("The README")
struct ReadmeTests {
    @Test("Its example compiles and does what the text says")
    func example() throws {
        let folder = try TemporaryFolder()
        let keyFile = folder.file("my.key")
        let keyringPath = folder.file("Keys/films.database.keyring")
        let path = folder.file("films.db")
        do {
            try KeyFile.create(keyFile)
            var keyring = try Keyring.create(.database)
            try keyring.addSlot("key-file", KeyFile.read(keyFile))
            try KeyringFile(keyringPath).create(keyring)
            let connection = try Connection.create(path, key: keyring.databaseKey())
            _ = try Migrator(ModelMigrations.set("movies")).run(
                .version(MigrationVersion(2)), on: connection)
        }

        let keyring = try KeyringFile(keyringPath).open { _ in try KeyFile.read(keyFile) }
        let store = try Store.open(path, key: keyring.databaseKey())

        try store.write { db in
            try db.execute(
                "INSERT INTO movies (title, category, year, coverURL) VALUES (?, ?, ?, '')",
                "Breakfast at Tiffany's", "Romance", 1961)
        }
        let titles = try store.read { db in
            try db.query("SELECT title, year FROM movies WHERE year < ?", 1970) { row in
                (title: try row[0] as String, year: try row[1] as Int)
            }
        }
        #expect(titles.map(\.title) == ["Breakfast at Tiffany's"])
        #expect(titles.map(\.year) == [1961])
    }
}
