/// Who signs keyrings: an Ed25519 public key, in base64 as keyrings spell it. A reader pins it, and then knows
/// that a keyring comes from there; its MAC proves nothing among those who hold slots.
public struct Publisher: Sendable, Hashable, CustomStringConvertible {
    let publicKey: [UInt8]

    init(publicKey: [UInt8]) { self.publicKey = publicKey }

    /// Reads a publisher's key as ``description`` writes it.
    /// - Throws: ``LockstepError/Code/signatureInvalid`` if it is none.
    public init(_ text: String) throws(LockstepError) {
        guard let key = Base64.decode(text), key.count == Curve25519Key.length else {
            throw LockstepError(
                .signatureInvalid, "that is no publisher's key: 43 characters of base64 are due",
                hint: "`lockstep keys list` shows the publisher of a signed keyring")
        }
        publicKey = key
    }

    /// The key as text.
    public var description: String { Base64.encode(publicKey) }
}

/// A publisher's private half: the seed of the active manifest key of its fields keyring.
struct SigningKey: ~Copyable {
    private let seed: SecretBytes
    let publisher: Publisher

    init(seed: consuming SecretBytes) throws(LockstepError) {
        publisher = Publisher(publicKey: try Ed25519.publicKey(of: seed))
        self.seed = seed
    }

    /// The line that signs the text above it.
    borrowing func line(over text: [UInt8]) throws(LockstepError) -> SignatureLine {
        SignatureLine(publisher: publisher, signature: try Ed25519.sign(text.span, with: seed))
    }
}

extension Keyring {
    /// Who this keyring can sign others as: the publisher of its dataset.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a database keyring, and for an issued one.
    public borrowing func publisher() throws(LockstepError) -> Publisher {
        try signingKey().publisher
    }

    /// Who this keyring signs as, and signed as before; not with keys that others may know.
    borrowing func publishers() throws(LockstepError) -> [Publisher] {
        var publishers: [Publisher] = []
        for entry in document.keys
        where entry.kind == .manifest && (entry.state == .active || entry.state == .retired) {
            let key = try SigningKey(seed: unwrap(entry))
            publishers.append(key.publisher)
        }
        return publishers
    }

    borrowing func signingKey() throws(LockstepError) -> SigningKey {
        guard purpose == .fields else {
            throw LockstepError(
                .keyringMismatch, "a \(purpose.rawValue) keyring has no key to sign with",
                hint: "sign with the publisher's fields keyring, <dataset>.fields.keyring")
        }
        guard
            let active = document.keys.first(where: { $0.kind == .manifest && $0.state == .active })
        else {
            throw LockstepError(
                .keyringMismatch, "an issued keyring has no key to sign with",
                hint: "sign with the publisher's own fields keyring")
        }
        return try SigningKey(seed: key(.manifest, version: active.version))
    }

    /// Who signed the keyring, if anybody did. That somebody did was checked when it was opened; whether it
    /// is the right one, ``requireSignature(by:)`` tells.
    public var signer: Publisher? { summary.publisher }

    /// Goes on only where `publisher` signed the keyring.
    /// - Throws: ``LockstepError/Code/signatureInvalid``.
    public borrowing func requireSignature(by publisher: Publisher) throws(LockstepError) {
        guard let signer else {
            throw LockstepError(
                .signatureInvalid, "the keyring is not signed",
                hint: "somebody made it anew or took the signature away; ask the publisher for it")
        }
        guard signer == publisher else {
            throw LockstepError(
                .signatureInvalid, "the keyring is signed by \(signer), and not by \(publisher)",
                hint: "use it only if you know that publisher")
        }
    }
}

extension KeyringDocument {
    /// Goes on only where the signature, if there is one, is of the text above it.
    /// - Throws: ``LockstepError/Code/keyringTampered``.
    func checkSignature() throws(LockstepError) {
        guard let line = signature else { return }
        var unsigned = self
        unsigned.signature = nil
        guard try line.isOf(unsigned.textAboveMAC()) else {
            throw LockstepError(
                .keyringTampered, "the keyring's signature is not one of its text",
                hint: "somebody changed the file; ask its publisher for it")
        }
    }
}

extension KeyringFile {
    /// Signs a keyring and writes it over the file that it was opened from. From then on only a signature
    /// can change it.
    /// - Parameter publisher: The publisher's fields keyring.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` if `publisher` cannot sign;
    ///   ``LockstepError/Code/keyringConflict`` if someone else wrote the file since.
    public func sign(_ keyring: inout Keyring, as publisher: borrowing Keyring) throws {
        try save(&keyring, signer: publisher.signingKey())
    }
}
