import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

/// Contacts.
enum ContactCommands: ModelCommands {
    static let entry = "contact"
    static let entries = "contacts"
    static let advice = "Use --fields contacts, because telephone numbers are sealed."

    struct Source: ModelSource {
        static let abstract = "Import contacts from vCards."
        static let discussion = """
            Imports the name and telephone numbers of each card and leaves out everything else. Reads versions 3.0 \
            and 4.0, and 2.1 as far as possible. A card without a name is reported with its first line; the \
            others are imported in one transaction. Use --fields contacts, because numbers are sealed.
            """
        static let argument = ArgumentHelp("The vCard file.", valueName: "file")
        static let unit = "cards"

        func read(
            _ path: FilePath, into store: ContactStore, _ identity: ImportIdentity?
        ) throws -> ImportReport {
            try store.importVCards(path, opening: identity)
        }
    }

    struct Selection: ModelSelection {
        static let abstract = "List contacts by last name."

        @Option(
            help: "Only contacts with a telephone number of these digits, however it is written.")
        var number: String?

        func show(_ store: ContactStore, _ output: FormatOptions) throws {
            let contacts = try number.map { try store.contacts(withNumber: $0) } ?? store.all()
            try Listing.show(contacts, output, ["id", "lastName", "firstName", "phones"]) {
                contact in
                [
                    .integer(contact.id), .text(contact.lastName), .text(contact.firstName),
                    .text(contact.phones.map(\.number).joined(separator: ", ")),
                ]
            }
        }
    }

    struct Target: ModelTarget {
        static let abstract = "Write contacts to vCards that `lockstep import contacts` reads."

        func write(
            _ store: ContactStore, to path: FilePath, sealedFor recipients: [Recipient]
        ) throws -> Int {
            try ExportSealing.write(to: path, for: recipients) { try store.exportVCards($0) }
        }
    }

    static func fields(
        of id: Int64, in store: ContactStore
    ) throws -> KeyValuePairs<String, Value>? {
        try store.contact(id).map { contact in
            let phones = contact.phones.map { "\($0.label) \($0.number)" }
            return [
                "id": .integer(contact.id), "firstName": .text(contact.firstName), "lastName": .text(contact.lastName),
                "phones": .text(phones.joined(separator: ", ")),
            ]
        }
    }
}
