public import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// What opens a keyring, or protects a new one: named in the program, loaded when it is needed, and not kept.
///
/// A keyring has slots, and a source opens those of its kind: see ``SlotDescription/Kind``. A keyring that is made gets
/// one slot; ``Keyring/addSlot(_:_:cost:)`` adds others.
public struct KeySource: Sendable {
    enum Kind: Sendable {
        case keyFile(FilePath)
        case passphrase(SharedSecret<SecretBytes>, PassphraseCost)
        /// What cannot be a passphrase.
        case refused(LockstepError)
        case environment(String)
        case command([String])
        case identity(FilePath)
        case provider(@Sendable (SlotDescription.Kind?) throws -> Credential?)
    }

    let kind: Kind

    /// A ``KeyFile``: 32 random bytes, which nobody has to type. It is made, for its owner alone to read, together with
    /// the first keyring that it opens. Keep it, and a copy, away from the database.
    public static func keyFile(_ path: FilePath) -> KeySource { KeySource(kind: .keyFile(path)) }

    /// A passphrase. Each keyring costs about half a second to open: see ``PassphraseCost``.
    ///
    /// The program's own copy of the text stays in memory; ``provider(_:)`` can give a ``Passphrase`` instead. An empty
    /// one is refused by the opening.
    /// - Parameters:
    ///   - text: The passphrase, byte for byte.
    ///   - cost: The cost of the slot of a keyring that is made.
    public static func passphrase(
        _ text: String, cost: PassphraseCost = .standard
    ) -> KeySource {
        do {
            let passphrase = try Passphrase(text.utf8Span.span)
            return KeySource(kind: .passphrase(SharedSecret(passphrase.secret), cost))
        } catch {
            return KeySource(kind: .refused(error))
        }
    }

    /// The value of an environment variable: at least 32 unguessable bytes. Not recommended where others can read the
    /// process's environment.
    public static func environment(_ variable: String) -> KeySource {
        KeySource(kind: .environment(variable))
    }

    /// What a program prints: see ``KeyCommand``. It runs once for each keyring.
    /// - Parameter arguments: The program's absolute path and its arguments.
    public static func command(_ arguments: [String]) -> KeySource {
        KeySource(kind: .command(arguments))
    }

    /// The X25519 key of an ``IdentityFile``, which must be there.
    public static func identity(_ path: FilePath) -> KeySource {
        KeySource(kind: .identity(path))
    }

    /// Anything else: a system's keychain, a key-management service, a ``Plugin``, a prompt.
    /// - Parameter load: Called with the kind of each slot of a keyring, in the file's order, until one opens; returns
    ///   nil to skip the slot. Called with nil for the credential of the slot of a new keyring.
    public static func provider(_ load: @escaping @Sendable (SlotDescription.Kind?) throws -> Credential?) -> KeySource
    { KeySource(kind: .provider(load)) }

    // MARK: Loading

    /// The credential for a slot; nil for a slot of another kind.
    func credential(for slot: SlotDescription.Kind) throws -> Credential? {
        switch (kind, slot) {
        case (.refused(let error), _): throw error
        case (.provider(let load), _): return try load(slot)
        case (.environment(let own), .environment(let variable))
        where own.hasSameBytes(as: variable):
            return try credential()
        case (.keyFile, .keyFile), (.passphrase, .passphrase), (.command, .command), (.identity, .identity):
            return try credential()
        default: return nil
        }
    }

    /// The credential, whatever it is to open.
    private func credential() throws -> Credential? {
        switch kind {
        case .keyFile(let path): try KeyFile.read(path)
        case .passphrase(let secret, _): .passphrase(try Passphrase(secret.value.clone()))
        case .refused(let error): throw error
        case .environment(let variable): try Self.value(of: variable)
        case .command(let arguments): try KeyCommand(arguments).credential()
        case .identity(let path): try Self.identity(in: path)
        case .provider(let load): try load(nil)
        }
    }

    private static func value(of variable: String) throws -> Credential {
        guard let value = unsafe getenv(variable) else {
            throw LockstepError(
                .noUsableSlot, "the environment variable \(variable) is not set",
                hint: "set it to at least 32 characters that nobody can guess")
        }
        let bytes = unsafe UnsafeRawBufferPointer(start: value, count: strlen(value))
        return try .environment(
            variable: variable,
            SecretBytes(copying: unsafe bytes.bindMemory(to: UInt8.self).span))
    }

    private static func identity(in path: FilePath) throws -> Credential {
        guard let identity = try IdentityFile.read(path).identity() else {
            throw LockstepError(
                .identityMalformed, "\(path) has no X25519 key, AGE-SECRET-KEY-1…",
                advice:
                    "make one with \(.generateIdentity); for a plugin, use `KeySource.provider`",
                context: .file(path))
        }
        return try .identity(identity)
    }

    // MARK: New keyrings

    /// The slot of a keyring that is to be made.
    final class NewSlot {
        let name: String
        let credential: Credential
        let cost: PassphraseCost

        init(_ name: String, _ credential: consuming Credential, _ cost: PassphraseCost) {
            self.name = name
            self.credential = credential
            self.cost = cost
        }
    }

    /// The slot for new keyrings; nil for a key file that is not there yet, and can be made.
    /// - Throws: Whatever keeps the source from protecting a keyring. Nothing is made.
    func newSlot() throws -> NewSlot? {
        if case .keyFile(let path) = kind, !FileAccess.exists(path) {
            try FileAccess.requireWritable(AtomicFile.parent(of: path))
            return nil
        }
        guard let credential = try credential() else {
            throw LockstepError(
                .noUsableSlot, "the provider gave nothing that could protect a new keyring",
                hint: "return a credential when it is called with nil")
        }
        return NewSlot(slotName, credential, cost)
    }

    /// Makes the key file that is not there yet.
    func makeKeyFile() throws {
        guard case .keyFile(let path) = kind else { return }
        do {
            _ = try KeyFile.createIfMissing(path)
        } catch let error as LockstepError where error.code == .alreadyExists {
            // Another program has made it for its own keyring in the meantime.
        }
    }

    private var slotName: String {
        switch kind {
        case .keyFile: "key-file"
        case .passphrase, .refused: "passphrase"
        case .environment: "environment"
        case .command: "command"
        case .identity: "identity"
        case .provider: "provider"
        }
    }

    private var cost: PassphraseCost {
        if case .passphrase(_, let cost) = kind { cost } else { .standard }
    }
}
