/// What opens a SQLCipher file of another program: a passphrase, or a raw key. Keys that were derived are kept, since a
/// derivation takes 0.1 to 2 s.
final class ForeignKey {
    private let passphrase: Passphrase?
    private let raw: SharedSecret<SecretBytes>?
    /// The salt, if it comes with the key.
    let salt: [UInt8]?
    private var derived: [Derivation: SharedSecret<SecretBytes>] = [:]

    private struct Derivation: Hashable {
        let hash: HashFunction
        let rounds: Int
        let salt: [UInt8]
    }

    init(_ passphrase: borrowing Passphrase) throws {
        self.passphrase = try passphrase.clone()
        (raw, salt) = (nil, nil)
    }

    init(_ rawKey: borrowing RawKey) throws {
        passphrase = nil
        raw = SharedSecret(try rawKey.secret.clone())
        salt = rawKey.salt
    }

    /// Whether the key is derived, so that the rounds count.
    var isDerived: Bool { raw == nil }

    /// What it is called in errors.
    var name: String { isDerived ? "passphrase" : "raw key" }

    /// The key of a file with this profile and salt.
    func secret(_ profile: Profile, salt: [UInt8]) throws -> SecretBytes {
        if let raw { return try raw.value.clone() }
        let derivation = Derivation(hash: profile.derivation, rounds: profile.rounds, salt: salt)
        if let known = derived[derivation] { return try known.value.clone() }
        guard let passphrase = try passphrase?.clone() else {
            throw LockstepError(.misuse, "a key of another program's file has no secret")
        }
        let secret = try profile.key(from: passphrase, salt: salt)
        derived[derivation] = SharedSecret(try secret.clone())
        return secret
    }
}
