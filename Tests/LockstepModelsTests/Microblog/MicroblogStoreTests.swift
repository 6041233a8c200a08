import Lockstep
import LockstepModels
import TestSupport
import Testing

@Suite("The microblog")
struct MicroblogStoreTests {
    @Test(
        "Users are added, found, changed and removed, and their statuses are removed with them")
    func users() throws {
        let blog = try MicroblogStore.inMemory()
        #expect(try blog.users().isEmpty)
        let ann = try blog.add(User(name: "Ann", screenName: "ann!", mbtype: "vip", city: "Köln"))
        let bob = try blog.add(User(name: "Bob"))
        #expect(try blog.users().map(\.name) == ["Ann", "Bob"])
        #expect(try blog.user(bob)?.screenName == "Bob")
        var user = try #require(try blog.user(ann))
        #expect(user.city == "Köln" && user.mbtype == "vip" && user.profileImageURL == nil)
        user.city = nil
        user.profileImageURL = "http://x"
        try blog.update(user)
        #expect(try blog.user(ann) == user)
        try blog.add([Status(text: "a", userID: ann), Status(text: "b", userID: bob)])
        #expect(try blog.removeUser(ann))
        #expect(try !blog.removeUser(ann))
        #expect(try blog.user(ann) == nil)
        #expect(try blog.timeline().map(\.status.text) == ["b"])
        #expect(try blog.search("a").isEmpty)
        // AUTOINCREMENT: a key is never reused.
        #expect(try blog.add(User(name: "Cy")) == bob + 1)
    }

    @Test("Statuses are added singly and as a batch, found, changed and removed")
    func statuses() throws {
        let blog = try MicroblogStore.inMemory()
        let ann = try blog.add(User(name: "Ann"))
        #expect(try blog.add([Status]()) == [])
        let one = try blog.add(Status(source: "web", createdAt: 5, text: "one", userID: ann))
        let more = try blog.add((2...9).map { (n: Int64) in Status(createdAt: n, text: "\(n)", userID: ann) })
        #expect(more == Array((one + 1)...(one + 8)))
        #expect(try blog.count() == 9)
        var entry = try #require(try blog.status(one))
        #expect(entry.user?.name == "Ann" && entry.source == "from web")
        var status = entry.status
        (status.text, status.source, status.createdAt) = ("changed", nil, -1)
        try blog.update(status)
        entry = try #require(try blog.status(one))
        #expect(entry.status == status && entry.source == "")
        #expect(try blog.search("one").isEmpty)
        #expect(try blog.search("changed").map(\.status.id) == [one])
        #expect(try blog.removeStatus(more[7]))
        #expect(try !blog.removeStatus(more[7]))
        #expect(try blog.add(Status(text: "", userID: ann)) == more[7] + 1)
    }

    @Test(
        "A status of an unknown user is an error that names the key, and its batch is not written")
    func foreign() throws {
        let blog = try MicroblogStore.inMemory()
        let ann = try blog.add(User(name: "Ann"))
        let error = try #require(throws: LockstepError.self) {
            try blog.add([Status(text: "a", userID: ann), Status(text: "secret", userID: 77)])
        }
        #expect(error.code == .notFound && error.message.contains("77"))
        #expect(!"\(error)".contains("secret"))
        #expect(try blog.count() == 0)
        let id = try blog.add(Status(text: "a", userID: ann))
        for status in [Status(id: id, text: "b", userID: 77), Status(id: id + 1, text: "b", userID: ann)] {
            let error = try #require(throws: LockstepError.self) { try blog.update(status) }
            #expect(error.code == .notFound)
        }
        #expect(throws: LockstepError.self) { try blog.update(User(id: 77, name: "x")) }
        #expect(try blog.status(id)?.status.text == "a")
    }

    @Test("A source reads `from …` however it was stored")
    func sources() throws {
        let blog = try MicroblogStore.inMemory()
        for source in ["web", "from web", "", nil] {
            try blog.add(Status(source: source, text: "x", userID: nil))
        }
        #expect(try blog.timeline().map(\.source) == ["", "", "from web", "from web"])
    }

    @Test("Every text is read back unchanged, in every field")
    func texts() throws {
        let blog = try MicroblogStore.inMemory()
        for text in AwkwardTexts.all + [AwkwardTexts.long] {
            let id = try blog.add(User(name: text, screenName: text, profileImageURL: text, mbtype: text, city: text))
            let status = try blog.add(Status(source: text, createdAtAsWritten: text, text: text, userID: id))
            let entry = try #require(try blog.status(status))
            let user = try #require(entry.user)
            for read in [
                user.name, user.screenName, user.profileImageURL, user.mbtype, user.city,
                entry.status.source, entry.status.createdAtAsWritten, entry.status.text,
            ] {
                #expect(AwkwardTexts.areSame(read, text), "\(text.prefix(40).debugDescription)")
            }
            let named = try blog.statuses(ofUserNamed: text)
            #expect(named.map(\.status.id) == [status])
            #expect(try blog.removeUser(id))
        }
        #expect(try blog.count() == 0)
    }

    @Test("Fifty tasks that write at once lose nothing and write nothing twice")
    func concurrent() async throws {
        let blog = try await MicroblogStore.temporary()
        let keys = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for task in 0..<50 {
                group.addTask {
                    let user = try await blog.add(User(name: "user \(task)"))
                    var keys: [Int64] = []
                    for number in 0..<20 {
                        keys.append(
                            try await blog.add(
                                Status(createdAt: Int64(number), text: "\(task)-\(number)", userID: user)))
                    }
                    return keys
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(keys).count == 1000)
        let entries = try await blog.timeline(2000)
        #expect(entries.count == 1000)
        #expect(Set(entries.map(\.status.text)).count == 1000)
        for entry in entries {
            let task = try #require(entry.status.text.split(separator: "-").first)
            #expect(entry.user?.name == "user \(task)")
        }
        #expect(try await blog.users().count == 50)
        try await blog.store.close()
    }

    @Test("Every call has a non-blocking twin with the same result")
    func twins() async throws {
        let blog = try await MicroblogStore.inMemory()
        let ann = try await blog.add(User(name: "Ann"))
        var changes = MicroblogChanges()
        changes.add(Status(createdAt: 1, text: "first words", userID: ann))
        let saved = try await blog.save(changes)
        let second = try await blog.add(Status(createdAt: 2, text: "second", userID: ann))
        try await blog.update(User(id: ann, name: "Anne"))
        try await blog.update(Status(id: second, createdAt: 3, text: "third", userID: ann))
        #expect(try await blog.user(ann)?.name == "Anne")
        #expect(try await blog.status(second)?.status.text == "third")
        let page = try await blog.timeline(1)
        #expect(page.map(\.status.id) == [second])
        #expect(try await blog.timeline(9, before: page[0].cursor).map(\.status.id) == saved.statusIDs)
        #expect(try await blog.statuses(ofUserNamed: "Anne").count == 2)
        #expect(try await blog.search("words").count == 1)
        #expect(try await blog.users(whoWrote: "words").map(\.id) == [ann])
        #expect(try await blog.removeStatus(second))
        #expect(try await blog.removeUser(ann))
        #expect(try await blog.count() == 0)
        await #expect(throws: LockstepError.self) {
            try await blog.add(Status(text: "", userID: 7))
        }
    }

    @Test("Where the set was never migrated, the error names the remedy")
    func unmigrated() throws {
        let blog = MicroblogStore(try Store.inMemory())
        let error = try #require(throws: LockstepError.self) { try blog.add(User(name: "Ann")) }
        #expect(error.hint?.contains("run `Migrator`") == true)
        #expect(throws: LockstepError.self) { try blog.timeline() }
    }
}
