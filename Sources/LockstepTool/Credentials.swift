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

    /// Opens one keyring with what was named, the variables its slots name, or what the terminal is asked.
    func open(_ file: KeyringFile) throws -> Keyring { try CredentialSource(self).open(file) }
}

/// The credentials of one command. Descriptors and variables can be read only once, and nobody wants to be
/// asked twice: what was read is kept for the next slot or keyring.
final class CredentialSource {
    private let options: CredentialOptions
    private var passphrase: Passphrase?
    private var variables: [String: Box] = [:]

    private final class Box {
        let secret: SecretBytes
        init(_ secret: consuming SecretBytes) { self.secret = secret }
    }

    init(_ options: CredentialOptions) { self.options = options }

    func open(_ file: KeyringFile) throws -> Keyring {
        try file.open { slot in
            switch slot.kind {
            case .keyFile: return try keyFile()
            case .environment(let variable): return try environment(variable)
            case .passphrase: return try passphrase(asking: "Passphrase for \(file.path)")
            case .other: return nil
            }
        }
    }

    func keyFile() throws -> Credential? {
        guard let path = options.keyFile else { return nil }
        return try KeyFile.read(FilePath(path))
    }

    /// The variable's value, or nil if it is not set.
    func environment(_ variable: String) throws -> Credential? {
        if variables[variable] == nil, let secret = try Environment.takeSecret(variable) {
            variables[variable] = Box(secret)
        }
        guard let box = variables[variable] else { return nil }
        return try .environment(variable: variable, box.secret.clone())
    }

    /// The passphrase from the descriptor, or from the terminal unless something else was named.
    func passphrase(asking prompt: String) throws -> Credential? {
        if passphrase == nil { passphrase = try passphraseFromDescriptor() }
        if passphrase == nil, !options.isGiven, Terminal.isPresent {
            passphrase = try Terminal.passphrase(prompt)
        }
        return try knownPassphrase()
    }

    /// The passphrase for a new slot: from the descriptor, or where nothing was named asked for twice.
    func newPassphrase(askTerminal: Bool) throws -> Credential? {
        if passphrase == nil { passphrase = try passphraseFromDescriptor() }
        if passphrase == nil, askTerminal {
            passphrase = try Terminal.newPassphrase("New passphrase")
        }
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

extension Passphrase {
    /// Reads the descriptor of this number up to its end.
    ///
    /// One line ending, as `echo` makes it, is not part of the passphrase.
    init(readingFrom number: Int32) throws {
        let secret = try SecretBytes(
            readingFrom: FileDescriptor(rawValue: number), FilePath("descriptor \(number)"),
            limit: 4097)
        let bytes = secret.bytes
        let endsInNewline = bytes.count > 0 && bytes[bytes.count - 1] == UInt8(ascii: "\n")
        try self.init(bytes.extracting(first: bytes.count - (endsInNewline ? 1 : 0)))
    }
}
