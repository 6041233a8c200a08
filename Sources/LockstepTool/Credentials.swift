import ArgumentParser
import Lockstep
import SystemPackage

/// What opens a keyring: never an argument, which every process of the machine could read.
struct CredentialOptions: ParsableArguments {
    @Option(help: "A key file that opens the keyring.")
    var keyFile: String?

    @Option(help: "The number of an open descriptor to read the passphrase from, up to its end.")
    var passphraseFd: Int32?

    /// Whether anything was named; else the terminal is asked.
    var isGiven: Bool { keyFile != nil || passphraseFd != nil }

    /// Reads the passphrase from the descriptor. One line ending, as `echo` makes it, is not part of it.
    func passphraseFromDescriptor() throws -> Passphrase? {
        guard let passphraseFd else { return nil }
        let secret = try SecretBytes(
            readingFrom: FileDescriptor(rawValue: passphraseFd),
            FilePath("descriptor \(passphraseFd)"), limit: 4096)
        let bytes = secret.bytes
        let endsInNewline = bytes.count > 0 && bytes[bytes.count - 1] == UInt8(ascii: "\n")
        return try Passphrase(bytes.extracting(first: bytes.count - (endsInNewline ? 1 : 0)))
    }

    /// Opens a keyring with what was named, the variables its slots name, or what the terminal is asked.
    func open(_ file: KeyringFile) throws -> Keyring {
        let passphrases = PassphraseSource(self, asking: "Passphrase for \(file.path)")
        return try file.open { slot in
            switch slot.kind {
            case .keyFile:
                guard let keyFile else { return nil }
                return try KeyFile.read(FilePath(keyFile))
            case .environment(let variable):
                return try Self.environment(variable)
            case .passphrase:
                return try passphrases.credential()
            case .other:
                return nil
            }
        }
    }

    /// The variable's value, or nil if it is not set.
    static func environment(_ variable: String) throws -> Credential? {
        guard let secret = try Environment.takeSecret(variable) else { return nil }
        return try .environment(variable: variable, secret)
    }
}

/// The passphrase, asked for once however many slots want one.
private final class PassphraseSource {
    private let options: CredentialOptions
    private let prompt: String
    private var known: Passphrase?

    init(_ options: CredentialOptions, asking prompt: String) {
        self.options = options
        self.prompt = prompt
    }

    func credential() throws -> Credential? {
        if known == nil { known = try ask() }
        guard let copy = try known?.clone() else { return nil }
        return .passphrase(copy)
    }

    private func ask() throws -> Passphrase? {
        if options.passphraseFd != nil { return try options.passphraseFromDescriptor() }
        guard !options.isGiven, Terminal.isPresent else { return nil }
        return try Terminal.passphrase(prompt)
    }
}
