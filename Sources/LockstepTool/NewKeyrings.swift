import ArgumentParser
import Lockstep

/// How keyrings that are being made shall be opened later.
struct SlotOptions: ParsableArguments {
    @OptionGroup var credentials: CredentialOptions

    @Option(help: "Also open the keyring with this environment variable's value. Discouraged.")
    var envSlot: String?
}

/// Keyrings that are made along with what is encrypted under them, all with the same slots.
struct NewKeyrings: ~Copyable {
    private let credentials: CredentialSource
    private let asksTerminal: Bool
    private let variable: String?
    private var made: [KeyringFile] = []

    init(_ options: SlotOptions) {
        credentials = CredentialSource(options.credentials)
        asksTerminal = !options.credentials.isGiven && options.envSlot == nil
        variable = options.envSlot
    }

    /// Makes a keyring and its file.
    /// - Parameter listsNew: Whether it lists a database that is made under it, empty, and gets its id from it.
    mutating func make(
        _ purpose: KeyringPurpose, _ file: KeyringFile, listsNew: Bool = false
    ) throws -> Keyring {
        var keyring = try Keyring.create(purpose)
        if listsNew { try keyring.listNewDatabase() }
        try addSlots(to: &keyring)
        try file.create(keyring)
        made.append(file)
        return keyring
    }

    /// Removes them: a keyring without its database would only stand in the way of the next try.
    func discard() { for file in made { file.removeUnused() } }

    func tell() { for file in made { Output.line("made the keyring \(file.path)") } }

    private func addSlots(to keyring: inout Keyring) throws {
        if let credential = try credentials.newPassphrase(askTerminal: asksTerminal) {
            try keyring.addSlot("passphrase", credential, cost: .calibrated())
        }
        if let credential = try credentials.keyFile() {
            try keyring.addSlot("key-file", credential)
        }
        if let variable {
            guard let credential = try credentials.environment(variable) else {
                throw Environment.notSet(variable)
            }
            try keyring.addSlot("environment", credential)
        }
    }
}
