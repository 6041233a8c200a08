import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

extension Import {
    /// `lockstep import contacts FILE.vcf`
    struct Contacts: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import contacts from vCards.",
            discussion: """
                Imports the name and telephone numbers of each card and leaves out everything else. Reads versions 3.0 \
                and 4.0, and 2.1 as far as possible. A card without a name is reported with its first line; the \
                others are imported in one transaction. Use --fields contacts, because numbers are sealed.
                """)

        @Argument(help: "The vCard file.")
        var file: String

        @OptionGroup var options: ImportOptions

        func run() throws {
            try options.run(ContactStore.self, file, "contacts", unit: "cards") { store, identity in
                try store.importVCards(FilePath(file), opening: identity)
            }
        }
    }
}

extension List {
    /// `lockstep list contacts`
    struct Contacts: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List contacts by last name.",
            discussion: "Use --fields contacts, because telephone numbers are sealed.")

        @Option(
            help: "Only contacts with a telephone number of these digits, however it is written.")
        var number: String?

        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(ContactStore.self)
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
}

extension Show {
    /// `lockstep show contacts ID`
    struct Contacts: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a contact.",
            discussion: "Use --fields contacts, because telephone numbers are sealed.")

        @Argument(help: "The contact's id.")
        var id: Int64

        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(ContactStore.self)
            try Entry.show(
                Entry.found(store.contact(id), "contact", id), output,
                [
                    ("id", { .integer($0.id) }), ("firstName", { .text($0.firstName) }),
                    ("lastName", { .text($0.lastName) }),
                    ("phones", { .text($0.phones.map(Self.text).joined(separator: ", ")) }),
                ])
        }

        private static func text(_ phone: Phone) -> String { "\(phone.label) \(phone.number)" }
    }
}

extension Export {
    /// `lockstep export contacts FILE.vcf`
    struct Contacts: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write contacts to vCards that `lockstep import contacts` reads.",
            discussion: "Use --fields contacts, because telephone numbers are sealed.")

        @Argument(help: "The file to make.")
        var target: String

        @OptionGroup var protection: ExportProtection
        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(ContactStore.self)
            try protection.export("contacts", to: target, output) { write in
                try store.exportVCards(write)
            }
        }
    }
}
