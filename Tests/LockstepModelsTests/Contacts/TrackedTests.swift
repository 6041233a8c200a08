import Lockstep
import LockstepModels
import Synchronization
import TestSupport
import Testing

@Suite("Tracked changes of contacts")
struct TrackedTests {
    private static func ann(_ contacts: ContactStore) throws -> Tracked<Contact> {
        Tracked(
            try contacts.insert(
                Contact(
                    firstName: "Ann", lastName: "A", phones: [Phone(number: "1"), Phone(label: "work", number: "2")])))
    }

    private static func store(_ options: ConnectionOptions? = nil) throws -> ContactStore {
        try ContactStore.inMemory(options: StoreOptions(connection: options ?? ModelKeys.options()))
    }

    @Test(
        "Setters compare: setting the same value is no change, and setting the old value undoes a change"
    )
    func comparing() throws {
        var ann = try Self.ann(Self.store())
        #expect(ann.isStored && !ann.isDirty)
        ann.firstName = "Ann"
        ann.phones[0].number = "1"
        #expect(!ann.isDirty)
        ann.firstName = "Anne"
        #expect(ann.isDirty)
        #expect(ann.changes == [.firstName(from: "Ann", to: "Anne")])
        ann.firstName = "Ann"
        #expect(!ann.isDirty)
        ann.lastName = "B"
        ann.revert()
        #expect(!ann.isDirty && ann.lastName == "A" && ann.current == ann.stored)
    }

    @Test("Changes are reported with old and new value; the telephones' order is no change") func telling() throws {
        var ann = try Self.ann(Self.store())
        let phones = ann.phones
        ann.lastName = "B"
        ann.phones.reverse()
        ann.phones[0].label = "home"
        ann.phones.remove(at: 1)
        ann.phones.append(Phone(number: "3"))
        var changed = phones[1]
        changed.label = "home"
        #expect(
            ann.changes == [
                .lastName(from: "A", to: "B"), .phoneRemoved(phones[0]),
                .phoneChanged(from: phones[1], to: changed), .phoneAdded(Phone(number: "3")),
            ])
        ann.revert()
        ann.phones.reverse()
        #expect(!ann.isDirty)
    }

    @Test("A value that looks the same but has other bytes is a change")
    func bytes() throws {
        let contacts = try Self.store()
        var contact = Tracked(
            try contacts.insert(Contact(firstName: "Ame\u{301}lie", lastName: "", phones: [Phone(number: "\u{E9}1")])))
        contact.firstName = "Am\u{E9}lie"
        contact.phones[0].number = "e\u{301}1"
        #expect(contact.changes.count == 2)
        #expect(try contacts.update(&contact))
        let read = try #require(try contacts.contact(contact.id))
        #expect(AwkwardTexts.areSame(read.firstName, "Am\u{E9}lie"))
        #expect(AwkwardTexts.areSame(read.phones[0].number, "e\u{301}1"))
    }

    @Test(
        "An update writes the changes and clears the mark; clean and never inserted contacts are not written"
    )
    func updating() throws {
        let contacts = try Self.store()
        var ann = try Self.ann(contacts)
        #expect(try !contacts.update(&ann))
        ann.firstName = "Anne"
        ann.phones[1].number = "22"
        ann.phones.append(Phone(label: "new", number: "3"))
        ann.phones.remove(at: 0)
        #expect(try contacts.update(&ann))
        #expect(!ann.isDirty && ann.phones.map(\.number) == ["22", "3"])
        #expect(ann.phones.allSatisfy { $0.id != 0 })
        #expect(try contacts.contact(ann.id) == ann.current)
        #expect(try contacts.contacts(withNumber: "22") == [ann.current])
        #expect(try contacts.contacts(withNumber: "1").isEmpty)
        #expect(try !contacts.update(&ann))

        var new = Tracked(Contact(firstName: "Bob", lastName: "B"))
        new.lastName = "C"
        #expect(!new.isStored && new.isDirty && new.changes.isEmpty)
        #expect(try !contacts.update(&new))
        #expect(try contacts.count() == 1)
    }

    @Test("Only the changed fields are written")
    func fields() throws {
        let ran = Mutex<[String]>([])
        var options = try ModelKeys.options()
        options.trace = { event in
            ran.withLock { if event.sql.hasPrefix("UPDATE") { $0.append(event.sql) } }
        }
        let contacts = try Self.store(options)
        var ann = try Self.ann(contacts)
        // Another program changes other fields.
        var other = Tracked(ann.current)
        other.lastName = "Other"
        other.phones[0].number = "111"
        try contacts.update(&other)
        ran.withLock { $0 = [] }
        ann.firstName = "Anne"
        ann.phones[0].label = "home"
        try contacts.update(&ann)
        #expect(
            ran.withLock { $0 } == [
                "UPDATE Contacts SET firstname = ? WHERE idx = ?", "UPDATE phone SET label = ? WHERE id = ?",
            ])
        let read = try #require(try contacts.contact(ann.id))
        #expect(read.firstName == "Anne" && read.lastName == "Other")
        #expect(read.phones[0].label == "home" && read.phones[0].number == "111")
    }

    @Test("An update of a removed row is reported, writes nothing, and keeps the mark")
    func gone() throws {
        let contacts = try Self.store()
        var ann = try Self.ann(contacts)
        var other = Tracked(ann.current)
        other.phones.removeFirst()
        try contacts.update(&other)
        ann.firstName = "Anne"
        ann.phones[0].number = "5"
        var error = try #require(throws: LockstepError.self) { try contacts.update(&ann) }
        #expect(error.code == .notFound && error.message.contains("telephone"))
        #expect(ann.isDirty && ann.changes.count == 2)
        #expect(try contacts.contact(ann.id)?.firstName == "Ann")
        // Removing a telephone that is already removed succeeds.
        ann.phones.removeFirst()
        #expect(try contacts.update(&ann))
        try contacts.delete(ann.id)
        ann.lastName = "Z"
        error = try #require(throws: LockstepError.self) { try contacts.update(&ann) }
        #expect(error.code == .notFound && error.message.contains("\(ann.id)"))
        #expect(ann.isDirty)
    }

    @Test(
        "A later insert never gets the key of a removed row, which another program may still hold")
    func reused() throws {
        let contacts = try Self.store()
        var ann = try Self.ann(contacts)
        var other = Tracked(ann.current)
        other.phones.removeLast()
        try contacts.update(&other)
        other.phones.append(Phone(number: "new"))
        try contacts.update(&other)
        ann.phones[1].number = "old"
        #expect(throws: LockstepError.self) { try contacts.update(&ann) }
        try contacts.delete(ann.id)
        let bob = try contacts.insert(Contact(firstName: "Bob", lastName: "B", phones: [Phone(number: "1")]))
        #expect(bob.id > ann.id && bob.phones[0].id > other.phones[1].id)
        ann.firstName = "Anne"
        #expect(throws: LockstepError.self) { try contacts.update(&ann) }
        #expect(try contacts.all() == [bob])
    }

    @Test("All changes are saved in one transaction, or none")
    func saving() throws {
        let contacts = try Self.store()
        for number in 0..<10 { try contacts.insert(Contact(firstName: "\(number)", lastName: "x")) }
        var all = try contacts.all().map { Tracked($0) }
        #expect(try contacts.save(&all) == 0)
        for index in [1, 4, 7] { all[index].lastName = "y" }
        all.append(Tracked(Contact(firstName: "new", lastName: "")))
        #expect(try contacts.save(&all) == 3)
        #expect(try contacts.all().filter { $0.lastName == "y" }.count == 3)
        #expect(all.filter(\.isDirty).count == 1)
        for index in [0, 2] { all[index].lastName = "z" }
        try contacts.delete(all[2].id)
        #expect(throws: LockstepError.self) { try contacts.save(&all) }
        #expect(all[0].isDirty && all[2].isDirty)
        #expect(try contacts.all().allSatisfy { $0.lastName != "z" })
        var none: [Tracked<Contact>] = []
        #expect(try contacts.save(&none) == 0)
    }

    @Test("A change to no name or an empty number, or to another contact's telephone, is refused")
    func refused() throws {
        let contacts = try Self.store()
        let bob = try contacts.insert(Contact(firstName: "Bob", lastName: "", phones: [Phone(number: "9")]))
        let changes: [(inout Tracked<Contact>) -> Void] = [
            { contact in (contact.firstName, contact.lastName) = ("", " ") },
            { $0.phones[0].number = "" }, { $0.phones.append(Phone(number: "")) },
            { $0.phones.append(bob.phones[0]) }, { $0.phones.append($0.phones[0]) },
        ]
        for change in changes {
            var ann = try Self.ann(contacts)
            change(&ann)
            if !ann.isDirty { ann.firstName = "Anne" }
            let error = try #require(throws: LockstepError.self) { try contacts.update(&ann) }
            #expect([.malformedInput, .misuse].contains(error.code))
            #expect(try contacts.contact(ann.id) == ann.stored)
        }
        #expect(try contacts.contact(bob.id) == bob)
    }
}
