import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep issue`: makes a keyring for a reader of a dataset.
struct Issue: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the keyring with which a customer reads a dataset.",
        discussion: """
            The keyring holds the dataset's field and index keys, opens only with the recipient's identity, names no \
            other customer, and cannot sign. All customers get the same database file, which this command does not \
            touch. The dataset's publisher signs the keyring: the customer can check that with `lockstep keys check \
            --publisher`, and cannot change the slots. After making a new key, issue the keyrings again.
            """)

    @Argument(help: "The keyring to make, such as out/films.fields.keyring.")
    var target: String

    @OptionGroup var access: KeyringAccess
    @OptionGroup var output: FormatOptions

    @Option(
        help: """
            The recipient whose identity opens the keyring: age1… or a plugin's age1NAME1…. For several people at one \
            customer, repeat it as SLOT=age1….
            """)
    var recipient: [String]

    @Flag(
        help:
            "Do not sign. The customer can then add slots, and cannot check who issued the keyring."
    )
    var unsigned = false

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
            let slots = recipients.sorted { $0.key < $1.key }.map {
                ["name": $0.key, "recipient": $0.value.description]
            }
            return try Output.json(
                [
                    "keyring": target, "dataset": Manifest.name(of: publisher.subjectID),
                    "slots": slots, "publisher": signer,
                ] as JSONObject)
        }
        Output.line(
            "made the keyring \(target), which opens for \(counted(recipients.count, "recipient"))")
        Output.line(signer.map { "signed by \($0)" } ?? "not signed")
    }
}
