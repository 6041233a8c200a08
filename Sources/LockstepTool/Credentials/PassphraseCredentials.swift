import ArgumentParser
import Lockstep

/// The option for passphrases.
struct PassphraseOptions: CredentialKindOptions {
    @Option(help: "An open file descriptor from which to read the passphrase, up to end of file.")
    var passphraseFd: Int32?

    var isGiven: Bool { passphraseFd != nil }
}

/// The passphrase, from a descriptor or the terminal.
final class PassphraseCredentials: CredentialKind {
    private let descriptor: Int32?
    private let asksTerminal: Bool
    private var passphrase: Passphrase?

    /// - Parameter asksTerminal: Whether to prompt for the passphrase of an existing slot.
    init(_ options: PassphraseOptions, asksTerminal: Bool) {
        descriptor = options.passphraseFd
        self.asksTerminal = asksTerminal
    }

    func credential(for slot: SlotDescription, of file: KeyringFile?) throws -> Credential? {
        guard case .passphrase = slot.kind else { return nil }
        if passphrase == nil, let file {
            if let descriptor {
                passphrase = try Passphrase(readingFrom: descriptor)
            } else if asksTerminal, Terminal.isPresent {
                passphrase = try Terminal.passphrase("Passphrase for \(file.path)")
            }
        }
        return try known()
    }

    /// The passphrase for a new slot: from the descriptor or, if `askTerminal` is set, from two prompts.
    func new(askTerminal: Bool) throws -> Credential? {
        if passphrase == nil, descriptor != nil || askTerminal {
            passphrase = try .new(from: descriptor)
        }
        return try known()
    }

    private func known() throws -> Credential? {
        guard let copy = try passphrase?.clone() else { return nil }
        return .passphrase(copy)
    }
}

/// The option for a new slot with a passphrase.
struct NewPassphraseOption: NewSlotOption {
    @Option(help: "Open the slot with the passphrase from this open file descriptor.") var newPassphraseFd: Int32?

    var isGiven: Bool { newPassphraseFd != nil }

    /// Without the option, prompts twice.
    func addSlot(_ name: String, to keyring: inout Keyring, _ credential: NewCredential, _: PluginOptions) throws {
        try credential.use({ try .passphrase(.new(from: newPassphraseFd)) }) {
            try keyring.addSlot(name, $0, cost: .calibrated())
        }
    }
}

extension Passphrase {
    /// Reads this file descriptor up to end of file.
    ///
    /// One trailing newline, as `echo` writes it, is not part of the passphrase.
    init(readingFrom number: Int32) throws {
        try self.init(withoutLineFeed: SecretBytes(readingFrom: number))
    }

    /// The same for what was read already.
    init(withoutLineFeed secret: borrowing SecretBytes) throws {
        let bytes = secret.bytes
        let endsInNewline = bytes.count > 0 && bytes[bytes.count - 1] == UInt8(ascii: "\n")
        try self.init(bytes.extracting(first: bytes.count - (endsInNewline ? 1 : 0)))
    }

    /// A new passphrase from this file descriptor, or from two prompts without one.
    static func new(from descriptor: Int32?) throws -> Passphrase {
        let passphrase =
            if let descriptor {
                try Passphrase(readingFrom: descriptor)
            } else {
                try Terminal.newPassphrase("New passphrase")
            }
        PassphraseAdvice.show(passphrase)
        return passphrase
    }
}
