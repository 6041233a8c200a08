/// A secret that opens a slot of a keyring.
public struct Credential: ~Copyable {
    enum Kind: Sendable, Hashable {
        case passphrase
        case keyFile
        case environment(variable: String)
        case command
        case identity(Recipient)
        case plugin(PluginName)
    }

    let kind: Kind
    let secret: SecretBytes

    /// A shorter secret could be guessed, and only passphrase slots make guessing expensive.
    static let shortestSecret = 32
    /// A longer secret is a mistake and would fill the secure heap.
    static let longestSecret = 4096

    private init(_ kind: Kind, _ secret: consuming SecretBytes) {
        self.kind = kind
        self.secret = secret
    }

    /// A passphrase, stretched by scrypt.
    public static func passphrase(_ passphrase: consuming Passphrase) -> Credential {
        Credential(.passphrase, passphrase.secret)
    }

    /// The content of a key file: at least 32 unguessable bytes.
    /// - Throws: ``LockstepError/Code/secretUnsuitable`` if it is too short or too long.
    public static func keyFile(
        _ content: consuming SecretBytes
    ) throws(LockstepError) -> Credential {
        try unstretched(Credential(.keyFile, content))
    }

    /// The value of an environment variable: at least 32 unguessable bytes. Not recommended where others can read the
    /// process's environment.
    /// - Throws: ``LockstepError/Code/secretUnsuitable`` if it is too short or too long.
    public static func environment(
        variable: String, _ value: consuming SecretBytes
    ) throws(LockstepError) -> Credential {
        try unstretched(Credential(.environment(variable: variable), value))
    }

    /// The output of a command: see ``KeyCommand``.
    /// - Throws: ``LockstepError/Code/secretUnsuitable`` if it is too short or too long.
    public static func command(
        output: consuming SecretBytes
    ) throws(LockstepError) -> Credential {
        try unstretched(Credential(.command, output))
    }

    /// The identity of a recipient for whom a slot was made.
    /// - Throws: ``LockstepError/Code/secureMemoryExhausted``.
    public static func identity(_ identity: borrowing Identity) throws(LockstepError) -> Credential
    {
        Credential(.identity(identity.recipient), try identity.secret.clone())
    }

    /// The file key that a plugin returned for one slot.
    /// - Parameter fileKey: Empty if the plugin returned none: then the credential opens nothing, and errors name the
    ///   plugin as tried.
    static func plugin(_ name: PluginName, fileKey: consuming SecretBytes) -> Credential {
        Credential(.plugin(name), fileKey)
    }

    /// The recipient, if the credential is an identity.
    public var recipient: Recipient? {
        if case .identity(let recipient) = kind { recipient } else { nil }
    }

    /// The credential's name in messages.
    var name: String {
        switch kind {
        case .passphrase: "passphrase"
        case .keyFile: "key file"
        case .environment(let variable): "environment variable \(variable)"
        case .command: "command"
        case .identity(let recipient): "identity of \(recipient)"
        case .plugin(let name): "plugin \(name)"
        }
    }

    private static func unstretched(
        _ credential: consuming Credential
    ) throws(LockstepError) -> Credential {
        guard (shortestSecret...longestSecret).contains(credential.secret.count) else {
            throw LockstepError(
                .secretUnsuitable,
                "the \(credential.name) has \(counted(credential.secret.count, "byte")); expected "
                    + "\(shortestSecret) to \(longestSecret)",
                hint: "make one with `lockstep keys create-key-file FILE` or with "
                    + "`openssl rand -hex 32`")
        }
        return credential
    }
}
