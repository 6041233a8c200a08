import ArgumentParser
import Lockstep
import SystemPackage

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
    @OptionGroup var rings: RingOptions

    /// Whether any credential option is present. If not, and no variable names a credential, the tool prompts on the
    /// terminal.
    var isGiven: Bool { keyFiles.isGiven || passphrases.isGiven || age.isGiven || commands.isGiven }

    /// Opens one keyring with the credential options, the variables that its slots name, or a passphrase from the
    /// terminal.
    func open(_ file: KeyringFile) throws -> Keyring { try CredentialSource(self).open(file) }
}

/// The variables that name files with credentials. An option of any kind takes their place: with both, a command
/// would open a keyring with a credential that its user did not name.
enum CredentialVariables {
    /// The variable that names a key file.
    static let keyFile = "LOCKSTEP_KEY_FILE"
    /// The variable that names the key file of datasets, if that is another one.
    static let fieldsKey = "LOCKSTEP_FIELDS_KEY"

    /// The paths of key files: of the options, or of the variables.
    static func keyFiles(_ options: CredentialOptions) -> [String] {
        guard !options.isGiven else { return options.keyFiles.keyFile }
        return [keyFile, fieldsKey].compactMap { Environment.text($0) }
    }

    static func completing(_ options: CredentialOptions) -> CredentialOptions {
        guard !options.isGiven else { return options }
        var options = options
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
    private let rings: RingOptions
    /// The file of the identity; nil without one.
    private let identity: FilePath?

    init(_ given: CredentialOptions) {
        let options = CredentialVariables.completing(given)
        keyFiles = KeyFileCredentials(CredentialVariables.keyFiles(given), options.keyFiles.keyFd)
        passphrases = PassphraseCredentials(options.passphrases, asksTerminal: !options.isGiven && keyFiles.count == 0)
        kinds = [
            passphrases, variables, AgeCredentials(options.age, options.plugins),
            CommandCredentials(options.commands),
        ]
        rings = options.rings
        identity = options.age.identity.map { FilePath($0) }
    }

    func open(_ file: KeyringFile) throws -> Keyring {
        var last: SlotDescription?
        let keyring = try withEachKeyFile { number in
            try file.open { slot in
                last = slot
                return try credential(for: slot, of: file, keyFile: number)
            }
        }
        let rings = try rings.rings()
        if !rings.isEmpty { try keyring.require(rings) }
        if let last {
            try meet(keyring, file, opened: last, isNamed: !rings.isEmpty)
            PassphraseAdvice.show(last, of: file, asTyped: keyring.wasOpenedAsTyped)
        }
        return keyring
    }

    /// Remembers a keyring that only a recipient's slot has opened, which anybody can have made.
    private func meet(
        _ keyring: borrowing Keyring, _ file: KeyringFile, opened slot: SlotDescription, isNamed: Bool
    ) throws {
        guard let identity, slot.isOfRecipient else { return }
        let known = KnownRings(of: identity)
        do {
            guard try known.meet(keyring, isNamed: isNamed), !isNamed else { return }
            Output.note(
                "notice: \(file.path) opens for \(identity) for the first time, as "
                    + "\(keyring.ring): anybody who knows the recipient can have made it")
        } catch let error as LockstepError
            where [.accessDenied, .readOnly, .full, .inputOutput, .locked].contains(error.code)
        {
            Output.note("notice: \(known.path) does not remember \(keyring.ring): \(error.message)")
        }
    }

    /// Remembers the new ring of a keyring that was known.
    func replaced(_ keyring: borrowing Keyring) throws {
        guard let identity else { return }
        try KnownRings(of: identity).replace(keyring)
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

    /// Tries one key file after the other, until one opens a keyring.
    /// - Parameter open: Opens it with the key file of this number.
    func withEachKeyFile(_ open: (Int) throws -> Keyring) throws -> Keyring {
        for number in 0..<max(keyFiles.count - 1, 0) {
            do {
                return try open(number)
            } catch let error as LockstepError where error.code == .slotNotOpened {
                continue
            }
        }
        do {
            return try open(max(keyFiles.count - 1, 0))
        } catch let error as LockstepError where error.code == .slotNotOpened && keyFiles.count == 1 {
            let hint = error.hint.map { "\($0); " } ?? ""
            throw LockstepError(
                error.code, error.message,
                hint: "\(hint)a dataset can have another key file than its database: name both, each with --key-file",
                context: error.context)
        }
    }

    /// The credential to try on `slot`.
    /// - Parameters:
    ///   - file: The keyring to name in a prompt; nil to leave out prompts, and plugins, which can ask for a touch.
    ///   - number: Which of the key files.
    func credential(for slot: SlotDescription, of file: KeyringFile?, keyFile number: Int = 0) throws -> Credential? {
        guard slot.kind != .keyFile else { return try keyFiles.credential(number) }
        for kind in kinds {
            if let credential = try kind.credential(for: slot, of: file) { return credential }
        }
        return nil
    }
}
