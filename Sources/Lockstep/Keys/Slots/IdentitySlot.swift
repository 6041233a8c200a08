/// A slot that the identity of a recipient opens.
///
///     -> x25519 <slot> <ephemeral share:32> <tag:8>
///
/// The slot secret is X25519(ephemeral secret, recipient), whose salt is share ‖ recipient. The tag is the first 8
/// bytes of SHA-256(recipient).
struct IdentitySlot: SlotKind {
    static let type = "x25519"
    static let fieldCount = 2...2

    let share: [UInt8]
    let tag: [UInt8]

    var fields: [String] { [Base64.encode(share), Base64.encode(tag)] }
    var description: SlotDescription.Kind { .identity(tag: tag) }
    var opensWith: String { "an identity" }
    var requirement: LockstepError.Advice { "\(.identity)" }

    func wrap(
        _ credential: borrowing Credential, _ info: [UInt8]
    ) throws(LockstepError) -> SlotWrap? {
        guard let recipient = credential.recipient, try recipient.tag() == tag else { return nil }
        return try wrap(credential.secret, with: share, recipient, info)
    }

    /// From an ephemeral key and a recipient, from either side. Nil if either point is of low order.
    fileprivate func wrap(
        _ secret: borrowing SecretBytes, with other: [UInt8], _ recipient: Recipient,
        _ info: [UInt8]
    ) throws(LockstepError) -> SlotWrap? {
        guard let shared = try X25519.sharedSecret(secret, with: other.span) else { return nil }
        // The salt contains both public keys, as in age: the shared secret alone does not determine them.
        return try SlotWrap(shared, share + recipient.publicKey, info)
    }

    struct Opener: SlotOpener {
        let recipient: Recipient

        var name: String { "identity of \(recipient)" }

        func newSlot(cost _: Scrypt.Cost) throws(LockstepError) -> any SlotKind {
            throw LockstepError(
                .misuse, "a slot must be made for a recipient, not for an identity",
                hint: "give the identity's recipient, age1…")
        }
    }
}

extension IdentitySlot {
    init(_ header: SlotHeader) throws(LockstepError) {
        let (fields, text) = (header.fields, header.text)
        self.init(
            share: try text.base64(fields[0], Curve25519Key.length, "an ephemeral share"),
            tag: try text.base64(fields[1], Recipient.tagLength, "a recipient's tag"))
    }
}

extension KeyringSlot {
    /// Makes a slot that the identity of `recipient` opens. Only the public key is needed.
    init(
        name: String, _ recipient: Recipient, ringKey: borrowing SecretBytes, ringID: [UInt8]
    ) throws(LockstepError) {
        try Self.requireName(name)
        let ephemeral = try Identity.generate()
        let kind = IdentitySlot(share: ephemeral.recipient.publicKey, tag: try recipient.tag())
        let wrap = try kind.wrap(
            ephemeral.secret, with: recipient.publicKey, recipient, Self.info(kind.header(name), ringID))
        try self.init(name, kind, wrap, ringKey)
    }
}

extension Credential {
    /// The identity of a recipient for whom a slot was made.
    /// - Throws: ``LockstepError/Code/secureMemoryExhausted``.
    public static func identity(_ identity: borrowing Identity) throws(LockstepError) -> Credential {
        Credential(
            IdentitySlot.Opener(recipient: identity.recipient), try identity.secret.clone())
    }

    /// The recipient, if the credential is an identity.
    public var recipient: Recipient? { (opener as? IdentitySlot.Opener)?.recipient }
}
