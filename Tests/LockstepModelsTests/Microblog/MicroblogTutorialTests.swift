import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("The microblog tutorial")
struct MicroblogTutorialTests {
    @Test("Its program compiles and does what the text says")
    func program() async throws {
        let scratch = try TemporaryFolder()
        let folder = scratch.path
        // sample: MicroblogTutorial.md
        let blog = try await MicroblogStore.open(folder.appending("blog.db"), key: .keyFile(folder.appending("my.key")))

        // Nothing is kept until it is saved, and then all of it is, in one transaction.
        var changes = MicroblogChanges()
        let ann = changes.add(User(name: "Ann O'Brien", screenName: "ann", city: "Köln"))
        changes.add(Status(createdAt: 1_346_186_100_000_000, text: "Hello, Köln"), by: ann)
        changes.add(Status(createdAt: 1_346_186_160_000_000, text: "It's raining"), by: ann)
        try await blog.save(changes)

        // A page with its users is one query, and the next one begins where it ended.
        let newest = try await blog.timeline(1)
        let older = try await blog.timeline(1, before: newest.last?.cursor)
        let found = try await blog.search("köln")
        let authors = try await blog.users(whoWrote: "raining")
        // end
        #expect(newest.map(\.status.text) == ["It's raining"])
        #expect(older.map(\.status.text) == ["Hello, Köln"] && older == found)
        #expect(authors.map(\.screenName) == ["ann"])
    }
}
