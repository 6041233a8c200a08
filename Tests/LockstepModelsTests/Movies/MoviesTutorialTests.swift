import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("The films tutorial")
struct MoviesTutorialTests {
    @Test("Its program compiles and does what the text says")
    func program() throws {
        let scratch = try TemporaryFolder()
        let folder = scratch.path
        try scratch.write(
            "films.tsv",
            "Laura\tCrime\t1944\t\t\nno film\nGilda\tCrime\t1946\t\t\nM\tCrime\t1931\t\t\n")
        // sample: MoviesTutorial.md
        let ours = folder.appending("our.key")
        func keyring(_ purpose: KeyringPurpose, _ name: String) throws -> Keyring {
            let file = KeyringFile(folder.appending("Keys/\(name)"))
            if !file.exists {
                _ = try KeyFile.createIfMissing(ours)
                var keyring = try Keyring.create(purpose)
                try keyring.addSlot("key-file", KeyFile.read(ours))
                try file.create(keyring)
            }
            return try file.open { _ in try KeyFile.read(ours) }
        }
        let database = try keyring(.database, "films.database.keyring")
        let dataset = try keyring(.fields, "movies.fields.keyring")

        var options = StoreOptions()
        options.connection.fieldKeys = [try dataset.fieldKeys(named: "movies")]
        let path = folder.appending("films.db")
        let films = try MovieStore.open(
            path, key: database.databaseKey(for: path), options: options)
        let report = try films.importTSV(folder.appending("films.tsv"))
        let crimes = try films.movies(inCategory: "Crime", after: 1940)

        // A customer makes an identity and sends its recipient, which is no secret.
        let customer = try Identity.generate()
        let issued = try dataset.issue(to: customer.recipient)
        // end
        #expect(report.imported == 3 && report.rejections.map(\.line) == [2])
        #expect(crimes.map(\.title) == ["Gilda", "Laura"])
        let file = KeyringFile(folder.appending("customer.fields.keyring"))
        try file.create(issued)
        var reading = StoreOptions()
        reading.connection.fieldKeys = [
            try file.open { _ in try .identity(customer.clone()) }.fieldKeys(named: "movies")
        ]
        let theirs = MovieStore(
            try Store.open(
                folder.appending("films.db"), rawKey: database.activeDatabaseKey(), options: reading
            ))
        #expect(try theirs.movies(titled: "M").map(\.year) == [1931])
    }
}
