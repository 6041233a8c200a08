import ArgumentParser
import Lockstep
import SystemPackage

/// The options for key files.
struct KeyFileOptions: CredentialKindOptions {
    @Option(
        name: .customLong("key-file"), parsing: .singleValue,
        help: ArgumentHelp(
            "A key file that opens a keyring. (default: the variables LOCKSTEP_KEY_FILE and LOCKSTEP_FIELDS_KEY, if no other credential is given)",
            discussion: """
                Can be repeated, where a database and a dataset have key files of their own: each keyring opens with the one that fits.
                """, valueName: "key-file"))
    var keyFile: [String] = []

    @Option(
        help: "An open file descriptor from which to read a key file's content, up to end of file.")
    var keyFd: Int32?

    var isGiven: Bool { !keyFile.isEmpty || keyFd != nil }
}

/// Key files, from paths and a descriptor: several, of which each keyring takes the one that fits. So they are no
/// ``CredentialKind``, which has one credential for a slot.
final class KeyFileCredentials {
    private let paths: [String]
    private let descriptor: Int32?
    private let fromDescriptor = CachedSecret()

    init(_ paths: [String], _ descriptor: Int32?) { (self.paths, self.descriptor) = (paths, descriptor) }

    /// How many there are.
    var count: Int { paths.count + (descriptor == nil ? 0 : 1) }

    /// The one for new slots.
    func new() throws -> Credential? {
        guard count <= 1 else {
            throw ValidationError(
                "new keyrings get one key file: name one, and add another slot with `lockstep keys add-slot`")
        }
        return try credential(0)
    }

    /// - Parameter number: Its place among them, from 0; those with paths come first.
    func credential(_ number: Int) throws -> Credential? {
        if number < paths.count { return try KeyFile.read(FilePath(paths[number])) }
        guard let descriptor,
            let secret = try fromDescriptor.copy({ try SecretBytes(readingFrom: descriptor) })
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
