import Lockstep
import LockstepModels
import Testing

@Suite("Collected changes of the microblog")
struct MicroblogChangesTests {
    @Test("Nothing is written until they are saved, and then all of them are")
    func save() throws {
        let blog = try MicroblogStore.inMemory()
        let old = try blog.add(User(name: "old"))
        let status = try blog.add(Status(text: "old", userID: old))
        let gone = try blog.add(Status(text: "gone", userID: old))
        var changes = MicroblogChanges()
        #expect(changes.isEmpty)
        let ann = changes.add(User(name: "Ann"))
        changes.add(Status(text: "one", userID: nil), by: ann)
        let bob = changes.add(User(name: "Bob"))
        changes.add(Status(text: "two", userID: 999), by: bob)
        changes.add(Status(text: "three", userID: nil), by: ann)
        changes.add(Status(text: "four", userID: old))
        changes.update(Status(id: status, text: "new", userID: old))
        changes.update(User(id: old, name: "new"))
        changes.removeStatus(gone)
        changes.removeStatus(gone)
        #expect(!changes.isEmpty)
        #expect(try blog.count() == 2)
        let saved = try blog.save(changes)
        #expect(saved.userIDs == [old + 1, old + 2])
        #expect(saved.statusIDs == Array((gone + 1)...(gone + 4)))
        #expect(
            try blog.timeline().map { "\($0.user?.name ?? "-"): \($0.status.text)" } == [
                "new: four", "Ann: three", "Bob: two", "Ann: one", "new: new",
            ])
        changes = MicroblogChanges()
        changes.removeUser(old)
        try blog.save(changes)
        #expect(try blog.count() == 3)
        #expect(try blog.save(MicroblogChanges()).userIDs.isEmpty)
    }

    @Test("One impossible change undoes all of them")
    func undone() throws {
        let blog = try MicroblogStore.inMemory()
        let old = try blog.add(User(name: "old"))
        let impossible: [(inout MicroblogChanges) -> Void] = [
            { $0.update(Status(id: 77, text: "x", userID: old)) },
            { $0.update(User(id: 77, name: "x")) },
            { $0.add(Status(text: "x", userID: 77)) },
            { changes in
                changes.removeUser(old)
                changes.add(Status(text: "x", userID: old))
            },
        ]
        for make in impossible {
            var changes = MicroblogChanges()
            let ann = changes.add(User(name: "Ann"))
            changes.add(Status(text: "one", userID: nil), by: ann)
            make(&changes)
            let error = try #require(throws: LockstepError.self) { try blog.save(changes) }
            #expect(error.code == .notFound)
            #expect(try blog.users().map(\.id) == [old])
            #expect(try blog.count() == 0)
        }
    }

    @Test("A status of a new user from another collection is refused")
    func strangers() throws {
        var others = MicroblogChanges()
        let ann = others.add(User(name: "Ann"))
        var changes = MicroblogChanges()
        changes.add(Status(text: "x", userID: nil), by: ann)
        changes.add(User(name: "Bob"))
        let error = try #require(throws: LockstepError.self) {
            try MicroblogStore.inMemory().save(changes)
        }
        #expect(error.code == .misuse)
    }
}
