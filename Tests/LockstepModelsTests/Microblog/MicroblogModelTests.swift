import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("The microblog, against a model")
struct MicroblogModelTests {
    /// The expected content of the store.
    private struct Model {
        var users: [Int64: User] = [:]
        var statuses: [Int64: Status] = [:]
        var lastUser: Int64 = 0
        var lastStatus: Int64 = 0

        mutating func add(_ user: User) {
            #expect(users.updateValue(user, forKey: user.id) == nil)
            lastUser = max(lastUser, user.id)
        }

        mutating func add(_ status: Status) {
            #expect(statuses.updateValue(status, forKey: status.id) == nil)
            lastStatus = max(lastStatus, status.id)
        }

        mutating func remove(user: Int64) -> Bool {
            statuses = statuses.filter { $0.value.userID != user }
            return users.removeValue(forKey: user) != nil
        }

        func timeline() -> [Status] {
            statuses.values.sorted {
                ($0.createdAt ?? .min, $0.id) > ($1.createdAt ?? .min, $1.id)
            }
        }
    }

    private static let words = ["one", "two", "Köln", "O'Brien", "\"quoted\"", "👩‍👩‍👧", "a\0b", ""]

    private var random = ModelSeed.random()
    private var model = Model()

    private mutating func word() -> String { Self.words.randomElement(using: &random) ?? "" }

    private mutating func userKey() -> Int64 {
        ModelSeed.key(of: model.users, upTo: model.lastUser, &random)
    }

    private mutating func statusKey() -> Int64 {
        ModelSeed.key(of: model.statuses, upTo: model.lastStatus, &random)
    }

    private mutating func status(_ user: Int64?) -> Status {
        let instant: Int64? =
            Int.random(in: 0..<8, using: &random) == 0 ? nil : Int64.random(in: 0..<50, using: &random)
        return Status(source: word(), createdAt: instant, text: "\(word()) \(word())", userID: user)
    }

    @Test(
        "Ten thousand random calls on an encrypted file, killed and reopened in between, give the expected content"
    )
    mutating func random10000() throws {
        var bench = try ModelBench()
        // A kill leaves the same files; only a power failure would make a difference.
        bench.options.connection.synchronous = .normal
        var blog = try bench.open(MicroblogStore.self)
        for number in 1...10_000 {
            try step(blog)
            if number.isMultiple(of: 100) { try compare(blog, number) }
            if number.isMultiple(of: 1000) {
                let copy = try LiveCopy.make(of: blog.store.path, in: bench.folder, "after-\(number).db")
                try blog.store.blocking.close()
                blog = try bench.open(MicroblogStore.self, at: copy)
                try compareAll(blog, number)
            }
        }
        try blog.store.blocking.write { connection in
            try connection.execute("INSERT INTO Status_search (Status_search) VALUES ('integrity-check')")
        }
    }

    private mutating func step(_ blog: MicroblogStore) throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<10:
            var user = User(name: word(), screenName: word(), city: word())
            user.id = try blog.add(user)
            model.add(user)
        case 10..<45:
            let user = userKey()
            try add([status(user)], blog)
        case 45..<55:
            let batch = (0..<Int.random(in: 0..<5, using: &random)).map { _ in status(userKey()) }
            try add(batch, blog)
        case 55..<70:
            var changed = status(userKey())
            changed.id = statusKey()
            let isPossible = model.statuses[changed.id] != nil && changed.userID.map { model.users[$0] != nil } == true
            try expect(isPossible) { try blog.update(changed) }
            if isPossible { model.statuses[changed.id] = changed }
        case 70..<78:
            let user = User(id: userKey(), name: word(), mbtype: word())
            try expect(model.users[user.id] != nil) { try blog.update(user) }
            if model.users[user.id] != nil { model.users[user.id] = user }
        case 78..<88:
            let id = statusKey()
            #expect(try blog.removeStatus(id) == (model.statuses.removeValue(forKey: id) != nil))
        case 88..<90:
            let id = userKey()
            #expect(try blog.removeUser(id) == model.remove(user: id))
        default: try saveChanges(blog)
        }
    }

    private mutating func add(_ statuses: [Status], _ blog: MicroblogStore) throws {
        let isPossible = statuses.allSatisfy { $0.userID.map { model.users[$0] != nil } ?? true }
        try expect(isPossible) {
            for (id, var status) in zip(try blog.add(statuses), statuses) {
                status.id = id
                model.add(status)
            }
        }
    }

    private mutating func saveChanges(_ blog: MicroblogStore) throws {
        var changes = MicroblogChanges()
        var after = model
        var user = User(name: word())
        let new = changes.add(user)
        var batch = (0..<3).map { _ in status(nil) }
        for status in batch { changes.add(status, by: new) }
        let removed = userKey()
        changes.removeUser(removed)
        _ = after.remove(user: removed)
        let changed = User(id: userKey(), name: word())
        changes.update(changed)
        let isPossible = after.users[changed.id] != nil
        if isPossible { after.users[changed.id] = changed }
        try expect(isPossible) {
            let saved = try blog.save(changes)
            user.id = saved.userIDs[0]
            after.add(user)
            for (index, id) in saved.statusIDs.enumerated() {
                (batch[index].id, batch[index].userID) = (id, user.id)
                after.add(batch[index])
            }
            model = after
        }
    }

    private func expect(_ isPossible: Bool, _ call: () throws -> Void) throws {
        do throws(any Error) {
            try call()
            #expect(isPossible)
        } catch let error as LockstepError {
            #expect(!isPossible && error.code == .notFound)
        }
    }

    private func compare(_ blog: MicroblogStore, _ number: Int) throws {
        let page = try blog.timeline(20)
        #expect(page.map(\.status) == Array(model.timeline().prefix(20)), "after \(number)")
        #expect(page.allSatisfy { $0.user == $0.status.userID.flatMap { model.users[$0] } })
        #expect(try blog.count() == model.statuses.count)
    }

    private func compareAll(_ blog: MicroblogStore, _ number: Int) throws {
        #expect(try blog.timeline(.max).map(\.status) == model.timeline(), "after \(number)")
        #expect(
            try blog.users().map(\.id).sorted() == model.users.keys.sorted(), "after \(number)")
        #expect(try blog.users().allSatisfy { $0 == model.users[$0.id] })
        let found = try blog.search("köln", .max).map(\.status.id)
        #expect(found == model.timeline().filter { $0.text.contains("Köln") }.map(\.id))
    }
}
