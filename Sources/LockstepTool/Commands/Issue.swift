import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep issue`: a keyring for somebody who is to read a dataset.
struct Issue: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the keyring with which a customer reads a dataset.",
        discussion: """
            It holds the dataset's field and index keys, opens with the recipient's identity alone, names no other \
            customer, and cannot sign. The database is the same file for all, and is not touched. The keyring is \
            signed as the dataset's publisher: its reader checks that with `lockstep keys check --publisher`, and \
            cannot change what opens it. When a key was made since, issue anew.
            """)

    @Argument(help: "The keyring to make, such as out/films.fields.keyring.")
    var target: String

    @OptionGroup var access: KeyringAccess
    @OptionGroup var output: FormatOptions

    @Option(
        help: """
            Anyone who has the identity of this recipient, age1… or a plugin's age1NAME1…; or SLOT=age1…, given \
            several times for several people of one customer.
            """)
    var recipient: [String]

    @Flag(help: "Do not sign: the customer can then add slots, and cannot tell whom it comes from.")
    var unsigned = false

    private struct Result: Encodable {
        struct Slot: Encodable {
            let name: String
            let recipient: String
        }

        let keyring: String
        let dataset: String
        let slots: [Slot]
        let publisher: String?
    }

    func run() throws {
        var recipients: [String: SlotRecipient] = [:]
        for text in recipient {
            let named = try NamedRecipient(text, defaultName: Keyring.issuedSlotName)
            guard recipients.updateValue(named.recipient, forKey: named.name) == nil else {
                throw ValidationError(
                    "two recipients are called \(named.name): name them NAME=age1…")
            }
        }
        let publisher = try access.credentials.open(access.file())
        let issued = try publisher.issue(
            to: recipients, plugin: { try access.credentials.plugins.find($0) })
        let file = KeyringFile(FilePath(target))
        if unsigned {
            try file.create(issued)
        } else {
            try file.create(issued, signedBy: publisher)
        }
        let signer = unsigned ? nil : try publisher.publisher().description
        guard output.format == .text else {
            return try Output.json(
                Result(
                    keyring: target, dataset: ReleaseResult.name(publisher.subjectID),
                    slots: recipients.sorted { $0.key < $1.key }.map {
                        Result.Slot(name: $0.key, recipient: $0.value.description)
                    }, publisher: signer))
        }
        Output.line(
            "made the keyring \(target), which opens for \(counted(recipients.count, "recipient"))")
        Output.line(signer.map { "signed by \($0)" } ?? "not signed")
    }
}
