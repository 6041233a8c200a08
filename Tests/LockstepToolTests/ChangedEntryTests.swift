import LockstepModels
import Synchronization
import TestSupport
import Testing

@testable import Lockstep
@testable import LockstepTool

/// `update` reads an entry, and writes it with the fields that were given: what another program writes meanwhile stays.
@Suite("An entry that two programs change at once")
struct ChangedEntryTests {
    /// What the other program does, once, as soon as this one has read.
    private final class Other: Sendable {
        private let work = Mutex<(@Sendable () throws -> Void)?>(nil)
        private let found = Mutex<[any Error]>([])

        func come(_ body: @escaping @Sendable () throws -> Void) { work.withLock { $0 = body } }

        func seen(_ event: TraceEvent, _ table: String) {
            let sql = event.sql.asciiLowercased
            guard sql.hasPrefix("select"), sql.contains(table) else { return }
            let next = work.withLock { work in
                defer { work = nil }
                return work
            }
            do { try next?() } catch { found.withLock { $0.append(error) } }
        }

        /// Requires that it came, and that it has to wait: then it comes again.
        func requireBusy(_ again: () throws -> Void) throws {
            #expect(work.withLock { $0 == nil }, "nobody has read")
            let errors = found.withLock { $0 }
            #expect(errors.map { ($0 as? LockstepError)?.code } == [.busy])
            if !errors.isEmpty { try again() }
        }
    }

    /// Runs `command` on a store, and `other` on another store of the same file as soon as the command has read
    /// `table`.
    private func run<Model: ModelStore>(
        _: Model.Type, to version: UInt64, reading table: String, fill: (Model) throws -> Void,
        command: (Model) throws -> Bool, other: @escaping @Sendable (Model) throws -> Void,
        check: (Model) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("model.db")
        let keyring = try Keyring.create(.database)
        var options = StoreOptions()
        options.connection.busyTimeout = .zero
        let plain = try Store.create(path, rawKey: keyring.activeDatabaseKey(), options: options)
        try plain.blocking.migrate(ModelMigrations.set(Model.setName), to: .version(MigrationVersion(version)))
        let second = Model(plain)
        try fill(second)
        let program = Other()
        options.connection.trace = { program.seen($0, table) }
        let first = Model(try Store.open(path, rawKey: keyring.activeDatabaseKey(), options: options))
        program.come { try other(second) }
        #expect(try command(first))
        try program.requireBusy { try other(second) }
        try check(second)
        try first.store.blocking.close()
        try second.store.blocking.close()
    }

    private func fields(_ entry: String, _ values: [String: String?]) -> EntryFields {
        EntryFields(entry: entry, values: values)
    }

    @Test("A film keeps the rating that it got meanwhile")
    func films() throws {
        try run(MovieStore.self, to: 2, reading: "movies") {
            try $0.insert(Movie(title: "M", category: "Crime", year: 1931))
        } command: {
            try MovieCommands.update(1, fields("film", ["title": "Metropolis"]), in: $0)
        } other: {
            try $0.rate(1, isWatched: true, likes: 3)
        } check: {
            let film = try #require(try $0.movie(1))
            #expect(film.title == "Metropolis" && film.isWatched && film.likes == 3)
        }
    }

    @Test("A user keeps the name that they got meanwhile")
    func users() throws {
        try run(MicroblogStore.self, to: 4, reading: "from user") {
            try $0.add(User(name: "Ann"))
        } command: {
            try UserCommands.update(1, fields("user", ["city": "Ulm"]), in: $0)
        } other: {
            var user = try #require(try $0.user(1))
            user.name = "Anne"
            try $0.update(user)
        } check: {
            let user = try #require(try $0.user(1))
            #expect(user.name == "Anne" && user.city == "Ulm")
        }
    }

    @Test("A status keeps the text that it got meanwhile, and its user is looked up with it") func statuses() throws {
        try run(MicroblogStore.self, to: 4, reading: "from status") {
            try $0.add(User(name: "Ann"))
            try $0.add(Status(text: "Hello", userID: nil))
        } command: {
            try MicroblogCommands.update(1, fields("status", ["user": "Ann"]), in: $0)
        } other: {
            var status = try #require(try $0.status(1)).status
            status.text = "Good bye"
            try $0.update(status)
        } check: {
            let entry = try #require(try $0.status(1))
            #expect(entry.status.text == "Good bye" && entry.user?.name == "Ann")
        }
    }

    @Test("A new status finds its user and is added in one transaction")
    func newStatus() throws {
        try run(MicroblogStore.self, to: 4, reading: "from user") {
            try $0.add(User(name: "Ann"))
        } command: {
            try MicroblogCommands.insert(fields("status", ["text": "Hello", "user": "Ann"]), into: $0) == 1
        } other: {
            try $0.removeUser(1)
        } check: {
            let count = try $0.count()
            #expect(count == 0)
        }
    }

    @Test("A telephone that a contact gets meanwhile comes after the new ones, and not among them")
    func contacts() throws {
        try run(ContactStore.self, to: 2, reading: "phone") {
            try $0.insert(
                Contact(firstName: "Ann", lastName: "Lee", phones: [Phone(number: "1")]))
        } command: {
            try ContactCommands.update(1, fields("contact", ["phones": "2"]), in: $0)
        } other: {
            var contact = Tracked(try #require(try $0.contact(1)))
            contact.phones.append(Phone(number: "3"))
            try $0.update(&contact)
        } check: {
            let contact = try #require(try $0.contact(1))
            #expect(contact.phones.map(\.number) == ["2", "3"])
        }
    }
}
