/// A signer of keyrings: an Ed25519 public key, written in base64 as in keyrings. A reader pins it to verify that a
/// keyring comes from this publisher; the MAC proves nothing among holders of slots.
public struct Publisher: Sendable, Hashable, CustomStringConvertible {
    let publicKey: [UInt8]

    init(publicKey: [UInt8]) { self.publicKey = publicKey }

    /// Reads a publisher's key as ``description`` writes it.
    /// - Throws: ``LockstepError/Code/signatureInvalid`` if it is not valid.
    public init(_ text: String) throws(LockstepError) {
        guard let key = Base64.decode(text), key.count == Curve25519Key.length else {
            throw LockstepError(
                .signatureInvalid,
                "not a valid publisher's key: expected 43 characters of base64",
                advice: "\(.listKeyrings) shows the publisher of a signed keyring")
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
    /// The publisher of the dataset, as which this keyring can sign others.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a database keyring and for an issued one.
    public borrowing func publisher() throws(LockstepError) -> Publisher {
        try signingKey().publisher
    }

    /// The publishers as which this keyring signs now and signed before, except those with compromised keys.
    package borrowing func publishers() throws(LockstepError) -> [Publisher] {
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
        guard let active = document.keys.first(where: { $0.kind == .manifest && $0.state == .active }) else {
            throw LockstepError(
                .keyringMismatch, "an issued keyring has no key to sign with",
                hint: "sign with the publisher's own fields keyring")
        }
        return try SigningKey(seed: key(.manifest, version: active.version))
    }

    /// The publisher who signed the keyring, if it is signed. The signature was verified when the keyring was opened;
    /// ``requireSignature(by:)`` checks that it is from the right publisher.
    public var signer: Publisher? { summary.publisher }

    /// Requires that `publisher` signed the keyring.
    /// - Throws: ``LockstepError/Code/signatureInvalid``.
    public borrowing func requireSignature(by publisher: Publisher) throws(LockstepError) {
        guard let signer else {
            throw LockstepError(
                .signatureInvalid, "the keyring is not signed",
                hint: "someone replaced it or removed its signature; ask the publisher for it")
        }
        guard signer == publisher else {
            throw LockstepError(
                .signatureInvalid, "the keyring is signed by \(signer), not by \(publisher)",
                hint: "use it only if you trust that publisher")
        }
    }
}

extension KeyringDocument {
    /// Requires that the signature, if there is one, matches the text above it.
    /// - Throws: ``LockstepError/Code/keyringTampered``.
    func checkSignature() throws(LockstepError) {
        guard let line = signature else { return }
        var unsigned = self
        unsigned.signature = nil
        guard try line.isOf(unsigned.textAboveMAC()) else {
            throw LockstepError(
                .keyringTampered, "the keyring's signature does not match its text",
                hint: "someone changed the file; ask its publisher for it")
        }
    }
}

extension KeyringFile {
    /// Signs a keyring and writes it over the file that it was opened from. After that, only signing it again can
    /// change it.
    /// - Parameters:
    ///   - keyring: The keyring to sign.
    ///   - publisher: The publisher's fields keyring.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` if `publisher` cannot sign;
    ///   ``LockstepError/Code/keyringConflict`` if someone else has since written the file.
    public func sign(_ keyring: inout Keyring, as publisher: borrowing Keyring) throws {
        try save(&keyring, signer: publisher.signingKey())
    }
}
