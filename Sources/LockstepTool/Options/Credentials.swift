import ArgumentParser
import FoundationEssentials
import Lockstep
import SystemPackage

/// The credentials that open a keyring. A secret is never an argument, because every process on the machine can read
/// arguments.
struct CredentialOptions: ParsableArguments {
    @Option(help: "A key file that opens the keyring.")
    var keyFile: String?

    @Option(
        help: "An open file descriptor from which to read a key file's content, up to end of file.")
    var keyFd: Int32?

    @Option(help: "An open file descriptor from which to read the passphrase, up to end of file.")
    var passphraseFd: Int32?

    @Option(
        help: """
            A file with an identity whose recipient has a slot: AGE-SECRET-KEY-1…, or AGE-PLUGIN-NAME-1…, which \
            runs the program age-plugin-NAME.
            """)
    var identity: String?

    @Option(
        help: """
            The name of an age plugin, for slots that it opens without an identity file. Runs the program \
            age-plugin-NAME from an absolute folder in PATH.
            """,
        transform: { try PluginName($0) })
    var plugin: PluginName?

    @OptionGroup var plugins: PluginOptions

    @Option(
        help: """
            A program that prints the secret of a command slot: its absolute path, or a JSON array of path and \
            arguments. It runs without a shell.
            """)
    var keyCommand: String?

    /// Whether any credential option is present. If not, the tool prompts on the terminal.
    var isGiven: Bool {
        keyFile != nil || keyFd != nil || passphraseFd != nil || identity != nil
            || plugin != nil || keyCommand != nil
    }

    /// Opens one keyring with the credential options, the variables that its slots name, or a passphrase from the
    /// terminal.
    func open(_ file: KeyringFile) throws -> Keyring { try CredentialSource(self).open(file) }
}

/// The credentials of one command. Descriptors and variables can be read only once, and a user expects one prompt, so
/// the secrets are kept for the next slot or keyring.
final class CredentialSource {
    private let options: CredentialOptions
    private var passphrase: Passphrase?
    private var keyFromDescriptor: Box?
    private var commandOutput: Box?
    private var variables: [String: Box] = [:]

    private final class Box {
        let secret: SecretBytes
        init(_ secret: consuming SecretBytes) { self.secret = secret }
    }

    init(_ options: CredentialOptions) { self.options = options }

    func open(_ file: KeyringFile) throws -> Keyring {
        var last: SlotDescription?
        let keyring = try file.open { slot in
            last = slot
            return try credential(for: slot, of: file)
        }
        if let last { PassphraseAdvice.show(last, of: file) }
        return keyring
    }

    /// The credential to try on `slot`: from an option, its variable, or a prompt on the terminal.
    func credential(for slot: SlotDescription, of file: KeyringFile) throws -> Credential? {
        switch slot.kind {
        case .keyFile: try keyFile()
        case .environment(let variable): try environment(variable)
        case .passphrase: try passphrase(asking: "Passphrase for \(file.path)")
        case .identity: try identity()
        case .plugin(let name, _): try plugin(name, slot)
        case .command: try command()
        case .other: nil
        }
    }

    /// The credential to try on `slot` without a prompt: from an option or its variable. Plugins are left out because
    /// they can ask for a touch.
    func known(for slot: SlotDescription) throws -> Credential? {
        switch slot.kind {
        case .keyFile: try keyFile()
        case .environment(let variable): try environment(variable)
        case .passphrase: try knownPassphrase()
        case .identity: try identity()
        case .command: try command()
        case .plugin, .other: nil
        }
    }

    func keyFile() throws -> Credential? {
        if let path = options.keyFile { return try KeyFile.read(FilePath(path)) }
        guard let number = options.keyFd else { return nil }
        let box = try keyFromDescriptor ?? Box(SecretBytes(readingFrom: number))
        keyFromDescriptor = box
        return try .keyFile(box.secret.clone())
    }

    func identity() throws -> Credential? {
        guard let path = options.identity,
            let identity = try IdentityFile.read(FilePath(path)).identity()
        else { return nil }
        return try .identity(identity)
    }

    /// The credential that a plugin derives from a slot, if an identity file or `--plugin` names the plugin.
    private func plugin(_ name: PluginName, _ slot: SlotDescription) throws -> Credential? {
        guard let identities = try identities(of: name) else { return nil }
        return try options.plugins.find(name).credential(for: slot, with: identities)
    }

    /// The plugin's identities in the file, or the one without data if `--plugin` names the plugin.
    private func identities(of name: PluginName) throws -> PluginIdentities? {
        if let path = options.identity,
            let found = try IdentityFile.read(FilePath(path)).identities(of: name)
        {
            return found
        }
        return options.plugin == name ? try PluginIdentities(withoutData: name) : nil
    }

    /// The output of the command, which runs once for all slots and keyrings.
    func command() throws -> Credential? {
        guard let text = options.keyCommand else { return nil }
        let box = try commandOutput ?? Box(KeyCommand(option: text).output())
        commandOutput = box
        return try .command(output: box.secret.clone())
    }

    /// The variable's value, or nil if it is not set.
    func environment(_ variable: String) throws -> Credential? {
        if variables[variable] == nil, let secret = try Environment.takeSecret(variable) {
            variables[variable] = Box(secret)
        }
        guard let box = variables[variable] else { return nil }
        return try .environment(variable: variable, box.secret.clone())
    }

    /// The passphrase from the descriptor, or from the terminal if no credential option is present.
    func passphrase(asking prompt: String) throws -> Credential? {
        if passphrase == nil { passphrase = try passphraseFromDescriptor() }
        if passphrase == nil, !options.isGiven, Terminal.isPresent {
            passphrase = try Terminal.passphrase(prompt)
        }
        return try knownPassphrase()
    }

    /// The passphrase for a new slot: from the descriptor or, if `askTerminal` is set, from two prompts.
    func newPassphrase(askTerminal: Bool) throws -> Credential? {
        guard passphrase == nil else { return try knownPassphrase() }
        passphrase = try passphraseFromDescriptor()
        if passphrase == nil, askTerminal {
            passphrase = try Terminal.newPassphrase("New passphrase")
        }
        if let new = try passphrase?.clone() { PassphraseAdvice.show(new) }
        return try knownPassphrase()
    }

    private func knownPassphrase() throws -> Credential? {
        guard let copy = try passphrase?.clone() else { return nil }
        return .passphrase(copy)
    }

    private func passphraseFromDescriptor() throws -> Passphrase? {
        guard let number = options.passphraseFd else { return nil }
        return try Passphrase(readingFrom: number)
    }
}

extension KeyCommand {
    /// A path, or a JSON array of a path and arguments.
    init(option text: String) throws {
        var arguments = [text]
        if text.hasPrefix("[") {
            do {
                arguments = try JSONDecoder().decode([String].self, from: Data(text.utf8))
            } catch {
                throw ValidationError("expected the command's path, or a JSON array of strings")
            }
        }
        try self.init(arguments)
    }
}

extension SecretBytes {
    /// Reads this file descriptor up to end of file.
    init(readingFrom number: Int32) throws {
        try self.init(
            readingFrom: FileDescriptor(rawValue: number), FilePath("descriptor \(number)"),
            limit: 4097)
    }
}

extension Passphrase {
    /// Reads this file descriptor up to end of file.
    ///
    /// One trailing newline, as `echo` writes it, is not part of the passphrase.
    init(readingFrom number: Int32) throws {
        let secret = try SecretBytes(readingFrom: number)
        let bytes = secret.bytes
        let endsInNewline = bytes.count > 0 && bytes[bytes.count - 1] == UInt8(ascii: "\n")
        try self.init(bytes.extracting(first: bytes.count - (endsInNewline ? 1 : 0)))
    }
}
