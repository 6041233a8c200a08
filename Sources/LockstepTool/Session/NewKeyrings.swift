import ArgumentParser
import Lockstep
import SystemPackage

/// The slots of the keyrings that a command makes.
struct SlotOptions: ParsableArguments {
    @OptionGroup var credentials: CredentialOptions

    @Option(help: "Also let this environment variable's value open the keyring. Discouraged.")
    var envSlot: String?
}

/// Keyrings that are made together with their database, all with the same slots.
struct NewKeyrings: ~Copyable {
    private let credentials: CredentialSource
    private let asksTerminal: Bool
    private let variable: String?
    private var made: [KeyringFile] = []

    init(_ options: SlotOptions) {
        credentials = CredentialSource(options.credentials)
        asksTerminal =
            !options.credentials.isGiven && options.envSlot == nil
            && Environment.text(CredentialVariables.keyFile) == nil
        variable = options.envSlot
    }

    /// Makes a keyring and its file.
    /// - Parameter new: The path of a new, empty database that the keyring lists, and which takes its id from there.
    mutating func make(
        _ purpose: KeyringPurpose, _ file: KeyringFile, listing new: FilePath? = nil
    ) throws -> Keyring {
        var keyring = try Keyring.create(purpose)
        if let new { try keyring.listNewDatabase(at: file.spelling(of: new)) }
        try addSlots(to: &keyring)
        try file.create(keyring)
        made.append(file)
        return keyring
    }

    /// Removes the keyrings: without their database they would only block the next attempt.
    func discard() { for file in made { file.removeUnused() } }

    func show() { for file in made { Output.line("made the keyring \(file.path)") } }

    private func addSlots(to keyring: inout Keyring) throws {
        if let credential = try credentials.passphrases.new(askTerminal: asksTerminal) {
            try keyring.addSlot("passphrase", credential, cost: .calibrated())
        }
        if let credential = try credentials.keyFiles.credential() {
            try keyring.addSlot("key-file", credential)
        }
        if let variable {
            guard let credential = try credentials.variables.credential(variable) else {
                throw Environment.notSet(variable)
            }
            try keyring.addSlot("environment", credential)
        }
    }
}
