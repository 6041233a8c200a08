import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("Contacts, against a model")
struct ContactModelTests {
    private static let names = ["Ann", "Bob", "O'Brien", "e\u{301}", "\u{E9}", "👩‍👩‍👧", "a\0b", "'; DROP TABLE phone;--"]

    private var random = ModelSeed.random()
    /// The expected content of the store.
    private var model: [Int64: Contact] = [:]
    private var last: Int64 = 0

    private mutating func name() -> String { Self.names.randomElement(using: &random) ?? "" }

    private mutating func phone() -> Phone {
        let digits = Int.random(in: 0..<60, using: &random)
        return Phone(
            label: name(), number: Bool.random(using: &random) ? "+\(digits)" : "(\(digits / 10)) \(digits % 10)")
    }

    private mutating func phones() -> [Phone] {
        (0..<Int.random(in: 0..<4, using: &random)).map { _ in phone() }
    }

    private mutating func key() -> Int64 { ModelSeed.key(of: model, upTo: last, &random) }

    @Test(
        "Ten thousand random calls on an encrypted file, killed and reopened in between, give the expected content"
    )
    mutating func random10000() throws {
        var bench = try ModelBench("contacts")
        // A kill leaves the same files; only a power failure would make a difference.
        bench.options.connection.synchronous = .normal
        var contacts = try bench.open(ContactStore.self)
        for number in 1...10_000 {
            try step(contacts)
            if number.isMultiple(of: 1000) {
                let copy = try LiveCopy.make(of: contacts.store.path, in: bench.folder, "after-\(number).db")
                try contacts.store.blocking.close()
                contacts = try bench.open(ContactStore.self, at: copy)
                let all = try contacts.all()
                #expect(all.count == model.count, "after \(number)")
                for contact in all { expectSame(contact, model[contact.id]) }
            }
        }
    }

    private mutating func step(_ contacts: ContactStore) throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25 where model.count < 100:
            let contact = try contacts.insert(Contact(firstName: name(), lastName: name(), phones: phones()))
            #expect(model.updateValue(contact, forKey: contact.id) == nil)
            last = max(last, contact.id)
        case 0..<50:
            var contact = try tracked(key(), contacts)
            change(&contact)
            try expect(contact) { contact in try contacts.update(&contact) }
        case 50..<60:
            var dirty: [Tracked<Contact>] = []
            for id in Set((0..<4).map { _ in key() }).sorted() where model[id] != nil {
                var contact = try tracked(id, contacts)
                change(&contact)
                dirty.append(contact)
            }
            let count = dirty.filter(\.isDirty).count
            #expect(try contacts.save(&dirty) == count)
            for contact in dirty { model[contact.id] = contact.current }
        case 60..<75:
            let id = key()
            #expect(try contacts.delete(id) == (model.removeValue(forKey: id) != nil))
        case 75..<85:
            let digits = String(Int.random(in: 0..<60, using: &random))
            let expected = model.values.filter { contact in
                contact.phones.contains { $0.number.filter(\.isNumber) == digits }
            }
            #expect(try contacts.contacts(withNumber: digits).map(\.id) == expected.map(\.id).sorted())
        default:
            let id = key()
            let contact = try contacts.contact(id)
            #expect((contact == nil) == (model[id] == nil))
            if let contact { expectSame(contact, model[id]) }
        }
    }

    /// As the program holds it: the current one, or the last state of a deleted one.
    private func tracked(_ id: Int64, _ contacts: ContactStore) throws -> Tracked<Contact> {
        if let contact = model[id] { return Tracked(contact) }
        let gone = try contacts.insert(Contact(firstName: "gone", lastName: ""))
        try contacts.delete(gone.id)
        return Tracked(gone)
    }

    private mutating func change(_ contact: inout Tracked<Contact>) {
        if Bool.random(using: &random) { contact.firstName = name() }
        if Bool.random(using: &random) { contact.lastName = name() }
        if !contact.phones.isEmpty, Bool.random(using: &random) { contact.phones.removeFirst() }
        if !contact.phones.isEmpty, Bool.random(using: &random) {
            contact.phones[0].number = phone().number
        }
        if contact.phones.count < 5, Bool.random(using: &random) { contact.phones.append(phone()) }
    }

    private mutating func expect(
        _ contact: Tracked<Contact>, _ update: (inout Tracked<Contact>) throws -> Bool
    ) throws {
        var contact = contact
        let isDirty = contact.isDirty
        do throws(any Error) {
            #expect(try update(&contact) == isDirty)
            #expect(!contact.isDirty)
            if model[contact.id] != nil {
                model[contact.id] = contact.current
            } else {
                #expect(!isDirty)
            }
        } catch let error as LockstepError {
            #expect(error.code == .notFound && model[contact.id] == nil && contact.isDirty)
        }
    }

    private func expectSame(_ contact: Contact, _ expected: Contact?) {
        guard let expected else {
            Issue.record("contact \(contact.id) should not be there")
            return
        }
        #expect(contact.id == expected.id && Contact.changes(from: expected, to: contact).isEmpty)
    }
}
