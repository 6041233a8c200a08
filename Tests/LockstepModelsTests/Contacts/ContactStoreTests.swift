import Lockstep
import SystemPackage
import TestSupport
import Testing

@testable import LockstepModels

@Suite("Contacts")
struct ContactStoreTests {
    private func store(_ version: UInt64 = 3) throws -> ContactStore {
        let store = try Store.inMemory(options: StoreOptions(connection: ModelKeys.options()))
        try store.blocking.migrate(ModelMigrations.set(ContactStore.setName), to: .version(MigrationVersion(version)))
        return ContactStore(store)
    }

    @Test(
        "They are inserted, found, listed by name and deleted, on both versions",
        arguments: [2, 3] as [UInt64])
    func basics(version: UInt64) throws {
        let contacts = try store(version)
        #expect(try contacts.all().isEmpty)
        let brian = try contacts.insert(
            Contact(
                firstName: "Brian", lastName: "O'Brien",
                phones: [Phone(number: "+49 221 1"), Phone(label: "work", number: "0221/2")]))
        let ann = try contacts.insert(Contact(firstName: "Ann", lastName: ""))
        #expect(brian.id != 0 && brian.phones.allSatisfy { $0.id != 0 } && ann.phones.isEmpty)
        #expect(try contacts.all() == [ann, brian])
        #expect(try contacts.contact(brian.id) == brian)
        #expect(try contacts.count() == 2)
        #expect(try contacts.contact(77) == nil)
        #expect(try contacts.delete(brian.id))
        #expect(try !contacts.delete(brian.id))
        #expect(try contacts.all() == [ann])
        #expect(try contacts.contacts(withNumber: "+49 221 1").isEmpty)
        #expect(
            try contacts.store.blocking.read {
                try $0.value("SELECT count(*) FROM phone", as: Int.self)
            }
                == 0)
    }

    @Test("A number is found by its digits, in any format", arguments: [2, 3] as [UInt64])
    func numbers(version: UInt64) throws {
        let contacts = try store(version)
        let ann = try contacts.insert(
            Contact(
                firstName: "Ann", lastName: "A",
                phones: [Phone(number: "+49 (221) 1"), Phone(number: "492211"), Phone(number: "sip:ann")]))
        let bob = try contacts.insert(Contact(firstName: "Bob", lastName: "B", phones: [Phone(number: "0049 221 1")]))
        for number in ["+49 (221) 1", "49-2211", "4 9 2 2 1 1", "492211;ext="] {
            #expect(try contacts.contacts(withNumber: number) == [ann], "\(number)")
        }
        #expect(try contacts.contacts(withNumber: "00492211") == [bob])
        for number in ["", "sip:ann", "49221", "4922111", "'; DROP TABLE phone;--", "\0"] {
            #expect(try contacts.contacts(withNumber: number).isEmpty, "\(number.debugDescription)")
        }
    }

    @Test("The blind index finds a number: no table is scanned")
    func plan() throws {
        let contacts = try store()
        try contacts.insert(
            (0..<200).map {
                Contact(firstName: "\($0)", lastName: "x", phones: [Phone(number: "0221 \($0)")])
            })
        let number = "0221-17"
        let plan = try contacts.store.blocking.read { connection in
            try connection.query("EXPLAIN QUERY PLAN \(ContactWork.lookUp(number, connection))") {
                row in
                try row[3] as String
            }
        }
        #expect(plan.contains { $0.contains("number_digits_token=?") }, "\(plan)")
        #expect(plan.allSatisfy { !$0.hasPrefix("SCAN") }, "\(plan)")
        #expect(try contacts.contacts(withNumber: number).map(\.firstName) == ["17"])
    }

    @Test("From version 3 on the file contains no number that its key alone can open")
    func sealed() throws {
        let bench = try ModelBench("contacts")
        let contacts = try bench.open(ContactStore.self)
        try contacts.insert(Contact(firstName: "Ann", lastName: "A", phones: [Phone(number: "0221-4711-0815")]))
        try contacts.store.blocking.close()
        let pages = try DecryptedPages(bench.path, bench.keyring.activeDatabaseKey())
        #expect(pages.contain(Array("Ann".utf8)))
        #expect(!pages.contain(Array("4711".utf8)))
    }

    @Test(
        "Without the keys of the dataset a new version is refused, and a store that has it names the missing keys"
    )
    func withoutKeys() throws {
        var bench = try ModelBench("contacts")
        let keys = bench.options.connection.fieldKeys
        bench.options.connection.fieldKeys = []
        let refused = try #require(throws: LockstepError.self) { try bench.open(ContactStore.self) }
        #expect(refused.code == .keyUnavailable && refused.hint?.contains("contacts.fields.keyring") == true)
        bench.options.connection.fieldKeys = keys
        do {
            let contacts = try bench.open(ContactStore.self)
            try contacts.insert(Contact(firstName: "Ann", lastName: "A", phones: [Phone(number: "1")]))
            try contacts.store.blocking.close()
        }
        bench.options.connection.fieldKeys = []
        let contacts = try bench.open(ContactStore.self)
        #expect(try contacts.count() == 1)
        let calls: [() throws -> Void] = [
            { _ = try contacts.all() }, { _ = try contacts.contact(1) }, { _ = try contacts.contacts(withNumber: "1") },
            {
                try contacts.insert(
                    Contact(firstName: "B", lastName: "", phones: [Phone(number: "2")]))
            },
            { _ = try contacts.exportVCards { _ in } },
        ]
        for call in calls {
            let error = try #require(throws: LockstepError.self) { try call() }
            #expect(
                error.code == .keyUnavailable
                    && error.hint?.contains("fields") == true)
        }
        #expect(try contacts.delete(1))
    }

    @Test(
        "Without a name, or with an empty number, nothing is inserted",
        arguments: [2, 3] as [UInt64])
    func incomplete(version: UInt64) throws {
        let contacts = try store(version)
        let incomplete = [
            Contact(firstName: "", lastName: ""), Contact(firstName: " ", lastName: "\t\n\u{3000}"),
            Contact(firstName: "secret", lastName: "x", phones: [Phone(number: "1"), Phone(number: "")]),
        ]
        for contact in incomplete {
            let error = try #require(throws: LockstepError.self) {
                try contacts.insert([Contact(firstName: "good", lastName: ""), contact])
            }
            #expect(error.code == .malformedInput && error.hint != nil)
            #expect(!"\(error)".contains("secret"))
        }
        #expect(try contacts.count() == 0)
        #expect(try contacts.insert([Contact]()).isEmpty)
    }

    @Test(
        "Every text is read back unchanged, in every field, on both versions",
        arguments: [2, 3] as [UInt64])
    func texts(version: UInt64) throws {
        let contacts = try store(version)
        for text in AwkwardTexts.all + (version == 3 ? [AwkwardTexts.long] : []) {
            let phones = text.isEmpty ? [] : [Phone(label: text, number: text), Phone(label: "", number: "1")]
            for names in text.count > 1000 ? [(text, text)] : [(text, "x"), ("x", text)] {
                let id = try contacts.insert(Contact(firstName: names.0, lastName: names.1, phones: phones)).id
                let read = try #require(try contacts.contact(id))
                #expect(AwkwardTexts.areSame(read.firstName, names.0))
                #expect(AwkwardTexts.areSame(read.lastName, names.1))
                #expect(read.phones.count == phones.count)
                for (one, other) in zip(read.phones, phones) {
                    #expect(AwkwardTexts.areSame(one.label, other.label))
                    #expect(AwkwardTexts.areSame(one.number, other.number))
                }
                #expect(try contacts.delete(id))
            }
        }
    }

    @Test("Every call has a non-blocking twin with the same result")
    func twins() async throws {
        let contacts = try await ContactStore.inMemory(options: StoreOptions(connection: ModelKeys.options()))
        let ann = try await contacts.insert(Contact(firstName: "Ann", lastName: "A", phones: [Phone(number: "1")]))
        let more = try await contacts.insert([Contact(firstName: "Bob", lastName: "B")])
        #expect(try await contacts.all() == [ann] + more)
        #expect(try await contacts.contact(ann.id) == ann)
        #expect(try await contacts.contacts(withNumber: "(1)") == [ann])
        var tracked = Tracked(ann)
        tracked.lastName = "Z"
        #expect(try await contacts.update(&tracked))
        #expect(!tracked.isDirty)
        var all = try await contacts.all().map { Tracked($0) }
        all[0].firstName = "Bobby"
        #expect(try await contacts.save(&all) == 1)
        #expect(try await contacts.delete(more[0].id))
        #expect(try await contacts.count() == 1)
        var gone = all[0]
        gone.lastName = "x"
        await #expect(throws: LockstepError.self) { try await contacts.update(&gone) }
        #expect(gone.isDirty)
    }

    @Test("Many tasks insert and change at once, and no change is lost")
    func concurrent() async throws {
        let contacts = try await ContactStore.temporary(options: StoreOptions(connection: ModelKeys.options()))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<30 {
                group.addTask {
                    for number in 0..<5 {
                        var contact = Tracked(
                            try await contacts.insert(
                                Contact(
                                    firstName: "\(task)", lastName: "\(number)",
                                    phones: [Phone(number: "\(task) \(number)")])))
                        contact.lastName += "!"
                        contact.phones.append(Phone(number: "9 \(task)"))
                        try await contacts.update(&contact)
                    }
                }
            }
            try await group.waitForAll()
        }
        let all = try await contacts.all()
        #expect(all.count == 150)
        #expect(Set(all.map { "\($0.firstName) \($0.lastName)" }).count == 150)
        #expect(all.allSatisfy { $0.lastName.hasSuffix("!") && $0.phones.count == 2 })
        #expect(Set(all.flatMap { $0.phones.map(\.id) }).count == 300)
        #expect(try await contacts.contacts(withNumber: "97").count == 5)
        try await contacts.store.close()
    }

    @Test("Where the set was never migrated, the error names the remedy")
    func unmigrated() throws {
        let contacts = ContactStore(try Store.inMemory())
        let error = try #require(throws: LockstepError.self) { try contacts.all() }
        #expect(error.hint?.contains("run `Migrator`") == true)
    }
}
