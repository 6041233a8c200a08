/// The wrap key and commitment of one slot. KeyringDocument.swift specifies the derivation.
struct SlotWrap: ~Copyable {
    /// The commitment, and the ring key with its tag.
    static let bodyLength = 80
    private static let nonce = [UInt8](repeating: 0, count: AEAD.nonceLength)

    private let key: SecretBytes
    private let commitment: [UInt8]

    /// - Parameters:
    ///   - secret: The slot secret.
    ///   - info: As ``KeyringSlot`` makes it from the ring and the header line.
    init(
        _ secret: borrowing SecretBytes, _ salt: [UInt8], _ info: [UInt8]
    ) throws(LockstepError) {
        let derived = try HKDF.derive(
            secret.bytes, salt: salt.span, info: info.span, count: 64)
        key = try derived.prefix(32)
        commitment = derived.publicCopy(from: 32)
    }

    /// The body of the slot.
    borrowing func seal(
        _ ringKey: borrowing SecretBytes, header: String
    ) throws(LockstepError) -> [UInt8] {
        commitment
            + (try AEAD().seal(
                ringKey.bytes, key: key.bytes, nonce: Self.nonce.span, associatedData: Array(header.utf8).span))
    }

    /// The ring key; nil if the body is another secret's.
    borrowing func open(
        _ body: [UInt8], header: String
    ) throws(LockstepError) -> SecretBytes? {
        // The commitment is checked first: it stops a ciphertext crafted to open with many keys.
        guard ConstantTime.equal(commitment.span, body.span.extracting(..<32)) else { return nil }
        return try AEAD().open(
            body.span.extracting(32...), key: key.bytes, nonce: Self.nonce.span,
            associatedData: Array(header.utf8).span)
    }
}
