import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("The microblog tutorial")
struct MicroblogTutorialTests {
    @Test("Its program compiles and does what the text says")
    func program() throws {
        let scratch = try TemporaryFolder()
        let folder = scratch.path
        // sample: MicroblogTutorial.md
        let keyringFile = KeyringFile(folder.appending("Keys/blog.database.keyring"))
        if !keyringFile.exists {
            try KeyFile.create(folder.appending("my.key"))
            var keyring = try Keyring.create(.database)
            try keyring.addSlot("key-file", KeyFile.read(folder.appending("my.key")))
            try keyringFile.create(keyring)
        }
        let keyring = try keyringFile.open { _ in try KeyFile.read(folder.appending("my.key")) }
        let path = folder.appending("blog.db")
        let blog = try MicroblogStore.open(path, key: keyring.databaseKey(for: path))

        // Nothing is kept until it is saved, and then all of it is, in one transaction.
        var changes = MicroblogChanges()
        let ann = changes.add(User(name: "Ann O'Brien", screenName: "ann", city: "Köln"))
        changes.add(Status(createdAt: 1_346_186_100_000_000, text: "Hello, Köln"), by: ann)
        changes.add(Status(createdAt: 1_346_186_160_000_000, text: "It's raining"), by: ann)
        try blog.save(changes)

        // A page with its users is one query, and the next one begins where it ended.
        let newest = try blog.timeline(1)
        let older = try blog.timeline(1, before: newest.last?.cursor)
        let found = try blog.search("köln")
        let authors = try blog.users(whoWrote: "raining")
        // end
        #expect(newest.map(\.status.text) == ["It's raining"])
        #expect(older.map(\.status.text) == ["Hello, Köln"] && older == found)
        #expect(authors.map(\.screenName) == ["ann"])
    }
}
