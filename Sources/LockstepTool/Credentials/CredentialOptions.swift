import ArgumentParser
import Lockstep

/// The credentials that open a keyring. A secret is never an argument, because every process on the machine can read
/// arguments.
///
/// In a debug build the parser validates a group again for each group that contains it, several times: with one level
/// less between here and the commands, a test's command takes half the CPU time.
struct CredentialOptions: ParsableArguments {
    @OptionGroup var keyFiles: KeyFileOptions
    @OptionGroup var passphrases: PassphraseOptions
    @OptionGroup var age: AgeOptions
    @OptionGroup var plugins: PluginOptions
    @OptionGroup var commands: CommandOptions

    /// Whether any credential option is present. If not, and no variable names a credential, the tool prompts on the
    /// terminal.
    var isGiven: Bool {
        let all: [any CredentialKindOptions] = [keyFiles, passphrases, age, commands]
        return all.contains(where: \.isGiven)
    }

    /// Opens one keyring with the credential options, the variables that its slots name, or a passphrase from the
    /// terminal.
    func open(_ file: KeyringFile) throws -> Keyring { try CredentialSource(self).open(file) }
}

/// The variables that name files with credentials. An option of any kind takes their place: with both, a command
/// would open a keyring with a credential that its user did not name.
enum CredentialVariables {
    /// The variable that names a key file.
    static let keyFile = "LOCKSTEP_KEY_FILE"

    static func completing(_ options: CredentialOptions) -> CredentialOptions {
        guard !options.isGiven else { return options }
        var options = options
        options.keyFiles.keyFile = Environment.text(keyFile)
        options.age.identity = Environment.text("LOCKSTEP_IDENTITY")
        return options
    }
}

/// The credentials of one command.
final class CredentialSource {
    let keyFiles: KeyFileCredentials
    let passphrases: PassphraseCredentials
    let variables = EnvironmentCredentials()
    private let kinds: [any CredentialKind]

    init(_ given: CredentialOptions) {
        let options = CredentialVariables.completing(given)
        keyFiles = KeyFileCredentials(options.keyFiles)
        passphrases = PassphraseCredentials(options.passphrases, asksTerminal: !options.isGiven)
        kinds = [
            keyFiles, passphrases, variables, AgeCredentials(options.age, options.plugins),
            CommandCredentials(options.commands),
        ]
    }

    func open(_ file: KeyringFile) throws -> Keyring {
        var last: SlotDescription?
        let keyring = try file.open { slot in
            last = slot
            return try credential(for: slot, of: file)
        }
        if let last { PassphraseAdvice.show(last, of: file) }
        return keyring
    }

    /// Reads the keyring's file again. If someone has given it another ring key, it is opened again.
    /// - Returns: Whether it has another version.
    func reread(_ file: KeyringFile, _ keyring: inout Keyring) throws -> Bool {
        do {
            return try file.reread(&keyring)
        } catch let error as LockstepError where error.code == .keyringChanged {
            guard file.exists else { throw error }
            keyring = try open(file)
            return true
        }
    }

    /// The credential to try on `slot`.
    /// - Parameter file: The keyring to name in a prompt; nil to leave out prompts, and plugins, which can ask for a
    ///   touch.
    func credential(for slot: SlotDescription, of file: KeyringFile?) throws -> Credential? {
        for kind in kinds {
            if let credential = try kind.credential(for: slot, of: file) { return credential }
        }
        return nil
    }
}
