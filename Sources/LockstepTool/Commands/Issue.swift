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

            The keyring records which columns are sealed in the customer's databases, so that nobody can pass off \
            another file as one of them. Name these databases with -d; without it, the publisher's keyring must \
            record only one. What the customer does not get is not recorded.
            """)

    @Argument(help: "The keyring to make, such as out/films.fields.keyring.")
    var target: String

    @OptionGroup var keyrings: KeyringOptions
    @OptionGroup var credentials: CredentialOptions

    @Option(
        help:
            "The dataset, whose fields keyring is beside the first database or in a keyring folder."
    )
    var dataset: String?

    @Option(
        name: [.short, .long], parsing: .singleValue,
        help: "A database that the customer gets. Can be repeated.")
    var database: [String] = []

    @Option(
        help: ArgumentHelp(
            "The keyring of those databases, if it is not each one's own.",
            valueName: "keyring"))
    var databaseKeyring: String?

    @OptionGroup var limitOptions: LimitOptions
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

    func validate() throws {
        guard (keyrings.named == nil) != (dataset == nil) else {
            throw ValidationError("name one fields keyring: with --dataset or --keyring")
        }
    }

    func run() throws {
        try limitOptions.start()
        var recipients: [String: SlotRecipient] = [:]  // exact: names of slots
        for text in recipient {
            let named = try NamedRecipient(text, defaultName: Keyring.issuedSlotName)
            guard recipients.updateValue(named.recipient, forKey: named.name) == nil else {
                throw ValidationError("two recipients are called \(named.name): name them NAME=age1…")
            }
        }
        for path in database { try Diagnosis.requireDatabase(FilePath(path)) }
        let source = CredentialSource(credentials)
        let publisher = try source.open(fieldsFile())
        let databases = try database.isEmpty ? nil : Set(database.map { try identity($0, source) })
        let issued = try publisher.issue(to: recipients, with: databases, plugin: { try credentials.plugins.find($0) })
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
        Output.line("made the keyring \(target), which opens for \(counted(recipients.count, "recipient"))")
        Output.line(signer.map { "signed by \($0)" } ?? "not signed")
    }

    private func fieldsFile() throws -> KeyringFile {
        if let dataset {
            let first = database.first ?? Environment.text("LOCKSTEP_DATABASE")
            return try keyrings.fields(of: dataset, for: first.map { FilePath($0) })
        }
        return keyrings.file(for: FilePath(""))
    }

    /// The identity of a database that the customer gets.
    private func identity(_ name: String, _ source: CredentialSource) throws -> [UInt8] {
        let path = FilePath(name)
        let file =
            databaseKeyring.map { KeyringFile(FilePath($0)) }
            ?? keyrings.ownFile(of: path)
        var options = ConnectionOptions()
        options.isQueryOnly = true
        let connection = try Connection.open(path, key: source.open(file).databaseKey(for: path), options: options)
        guard let identity = try connection.databaseID() else {
            throw LockstepError(
                .keyringConflict, "\(path) has no identity yet, so that no keyring records it",
                hint: "run `lockstep migrate` on it", context: .file(path))
        }
        return identity
    }
}

/// The recipient of an identity or plugin with the name of its slot, given as `NAME=age1…`.
struct NamedRecipient {
    let name: String
    let recipient: SlotRecipient

    /// - Parameter defaultName: The slot's name if the text has none; nil if a name is required.
    init(_ text: String, defaultName: String? = nil) throws {
        let parts = text.pieces(between: "=", atMost: 1).filter { !$0.isEmpty }.map(String.init)
        if parts.count == 2 {
            (name, recipient) = (parts[0], try SlotRecipient(parts[1]))
        } else if let defaultName {
            (name, recipient) = (defaultName, try SlotRecipient(text))
        } else {
            throw ValidationError("--recipient takes NAME=age1…, not \(text)")
        }
    }
}
