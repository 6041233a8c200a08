import ArgumentParser
import Lockstep
import LockstepModels

extension ContactCommands {
    static let fieldNames = ["firstName", "lastName", "phones"]

    static func insert(_ fields: EntryFields, into store: ContactStore) throws -> Int64 {
        var contact = Contact(firstName: "", lastName: "")
        set(&contact, fields)
        return try store.insert(contact).id
    }

    static func update(
        _ id: Int64, _ fields: EntryFields, in store: ContactStore
    ) throws -> Bool {
        try store.change(id) { set(&$0, fields) }
    }

    static func delete(_ id: Int64, from store: ContactStore) throws -> Bool {
        try store.delete(id)
    }

    private static func set(_ contact: inout Contact, _ fields: EntryFields) {
        fields.set(&contact.firstName, "firstName")
        fields.set(&contact.lastName, "lastName")
        if let phones = fields.values["phones"] { contact.phones = Self.phones(phones ?? "") }
    }

    /// Numbers that commas part, each with a label before it or none, as `show` prints them: `work 030 1234, 0171 5`.
    private static func phones(_ text: String) -> [Phone] {
        text.pieces(between: ",").compactMap { part in
            let words = part.split(separator: " ")
            guard let first = words.first else { return nil }
            guard words.count > 1, first.allSatisfy(\.isLetter) else {
                return Phone(number: words.joined(separator: " "))
            }
            return Phone(
                label: String(first), number: words.dropFirst().joined(separator: " "))
        }
    }
}
