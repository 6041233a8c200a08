/// A secret that opens a slot of a keyring. Each kind of slot makes its own.
public struct Credential: ~Copyable {
    let opener: any SlotOpener
    let secret: SecretBytes

    /// A shorter secret could be guessed, and only passphrase slots make guessing expensive.
    static let shortestSecret = 32
    /// A longer secret is a mistake and would fill the secure heap.
    static let longestSecret = 4096

    init(_ opener: any SlotOpener, _ secret: consuming SecretBytes) {
        self.opener = opener
        self.secret = secret
    }

    /// A credential whose secret is used as it is.
    /// - Throws: ``LockstepError/Code/secretUnsuitable`` if it is too short or too long.
    init(
        unstretched secret: consuming SecretBytes, _ opener: any SlotOpener
    ) throws(LockstepError) {
        guard (Self.shortestSecret...Self.longestSecret).contains(secret.count) else {
            throw LockstepError(
                .secretUnsuitable,
                "the \(opener.name) has \(counted(secret.count, "byte")); expected "
                    + "\(Self.shortestSecret) to \(Self.longestSecret)",
                advice: "make one with \(.createKeyFile) or with `openssl rand -hex 32`")
        }
        self.init(opener, secret)
    }

    /// The credential's name in messages.
    var name: String { opener.name }
}

/// The part of a credential that is not secret.
protocol SlotOpener: Sendable {
    /// The credential's name in messages.
    var name: String { get }

    /// A slot for the credential, with a new salt.
    /// - Parameter cost: The cost of a passphrase.
    /// - Throws: ``LockstepError/Code/misuse`` if such slots are made for recipients.
    func newSlot(cost: Scrypt.Cost) throws(LockstepError) -> any SlotKind
}
