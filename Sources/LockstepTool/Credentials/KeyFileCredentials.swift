import ArgumentParser
import Lockstep
import SystemPackage

/// The options for key files.
struct KeyFileOptions: CredentialKindOptions {
    @Option(
        help:
            "A key file that opens the keyring. (default: the variable LOCKSTEP_KEY_FILE, if no other credential is given)"
    )
    var keyFile: String?

    @Option(
        help: "An open file descriptor from which to read a key file's content, up to end of file.")
    var keyFd: Int32?

    var isGiven: Bool { keyFile != nil || keyFd != nil }
}

/// Key files, from a path or a descriptor.
final class KeyFileCredentials: CredentialKind {
    private let options: KeyFileOptions
    private let fromDescriptor = CachedSecret()

    init(_ options: KeyFileOptions) { self.options = options }

    func credential(for slot: SlotDescription, of _: KeyringFile?) throws -> Credential? {
        slot.kind == .keyFile ? try credential() : nil
    }

    func credential() throws -> Credential? {
        if let path = options.keyFile { return try KeyFile.read(FilePath(path)) }
        guard let number = options.keyFd, let secret = try fromDescriptor.copy({ try SecretBytes(readingFrom: number) })
        else { return nil }
        return try .keyFile(secret)
    }
}

/// The option for a new slot with a key file.
struct NewKeyFileOption: NewSlotOption {
    @Option(help: "Open the slot with this key file, which is made if it does not exist.") var newKeyFile: String?

    var isGiven: Bool { newKeyFile != nil }

    func addSlot(_ name: String, to keyring: inout Keyring, _ credential: NewCredential, _: PluginOptions) throws {
        guard let path = newKeyFile else { return }
        try credential.use({ try Self.credential(path) }) { try keyring.addSlot(name, $0) }
    }

    static func addSlot(_ name: String, with path: String, to keyring: inout Keyring) throws {
        try keyring.addSlot(name, credential(path))
    }

    private static func credential(_ path: String) throws -> Credential {
        if try KeyFile.createIfMissing(FilePath(path)) {
            Output.line("made the key file \(path)")
        }
        return try KeyFile.read(FilePath(path))
    }
}
