/// Wraps the ring key in a slot. KeyringDocument.swift specifies the derivations.
extension KeyringSlot {
    /// Makes a slot that `credential` opens.
    init(
        name: String, _ credential: borrowing Credential, ringKey: borrowing SecretBytes,
        ringID: [UInt8], cost: Scrypt.Cost
    ) throws(LockstepError) {
        try Self.requireName(name)
        let salt = try Random.bytes(Self.saltLength)
        let (kind, header) = try Self.heading(name, credential.kind, salt, cost)
        let wrap = try SlotWrap(kind, header, credential, ringID)
        try self.init(name: name, kind, header, try Self.requireWrap(wrap, name), ringKey)
    }

    /// Makes a slot that the identity of `recipient` opens. Only the public key is needed.
    init(
        name: String, _ recipient: Recipient, ringKey: borrowing SecretBytes, ringID: [UInt8]
    ) throws(LockstepError) {
        try Self.requireName(name)
        let ephemeral = try Identity.generate()
        let share = ephemeral.recipient.publicKey
        let tag = try recipient.tag()
        let header = "-> x25519 \(name) \(Base64.encode(share)) \(Base64.encode(tag))"
        let wrap = try SlotWrap(
            ephemeral.secret, with: recipient.publicKey, share: share,
            recipient: recipient.publicKey, header, ringID)
        try self.init(
            name: name, .x25519(share: share, tag: tag), header, try Self.requireWrap(wrap, name),
            ringKey)
    }

    /// Makes a slot from the stanza that a plugin returned for `fileKey`, a key made only for this slot.
    /// - Throws: ``LockstepError/Code/commandFailed`` for a stanza that is too long for the format.
    init(
        name: String, _ plugin: PluginName, _ stanza: PluginStanza, fileKey: borrowing SecretBytes,
        ringKey: borrowing SecretBytes, ringID: [UInt8]
    ) throws(LockstepError) {
        try Self.requireName(name)
        let salt = try Random.bytes(Self.saltLength)
        let header = "-> plugin \(name) \(plugin) \(Base64.encode(salt)) \(stanza.fields)"
        guard header.utf8.count <= PluginStanza.longestHeader else {
            throw LockstepError(
                .commandFailed,
                "the plugin \(plugin) returned a stanza of \(stanza.fields.utf8.count) characters, "
                    + "too long for a keyring",
                hint: "use another kind of recipient; a slot's header can have at most "
                    + "\(PluginStanza.longestHeader) characters")
        }
        let wrap = try SlotWrap(
            .plugin(plugin, salt: salt, stanza: stanza), header,
            .plugin(plugin, fileKey: fileKey.clone()), ringID)
        try self.init(
            name: name, .plugin(plugin, salt: salt, stanza: stanza), header,
            try Self.requireWrap(wrap, name), ringKey)
    }

    static let saltLength = 16

    private init(
        name: String, _ kind: Kind, _ header: String, _ wrap: borrowing SlotWrap,
        _ ringKey: borrowing SecretBytes
    ) throws(LockstepError) {
        let sealed = try AEAD().seal(
            ringKey.bytes, key: wrap.key.bytes, nonce: SlotWrap.nonce.span,
            associatedData: Array(header.utf8).span)
        self.init(header: header, name: name, kind: kind, body: wrap.commitment + sealed)
    }

    static func requireName(_ name: String) throws(LockstepError) {
        guard PlainName.isValid(name) else {
            throw LockstepError(
                .keyringConflict, "a slot cannot be named “\(name)”",
                hint: "use \(PlainName.rule)")
        }
    }

    private static func heading(
        _ name: String, _ credential: Credential.Kind, _ salt: [UInt8], _ cost: Scrypt.Cost
    ) throws(LockstepError) -> (Kind, String) {
        let saltText = Base64.encode(salt)
        switch credential {
        case .passphrase:
            return (
                .scrypt(salt: salt, cost: cost),
                "-> scrypt \(name) \(saltText) \(cost.logN) \(cost.r) \(cost.p)"
            )
        case .keyFile: return (.keyFile(salt: salt), "-> keyfile \(name) \(saltText)")
        case .command: return (.command(salt: salt), "-> command \(name) \(saltText)")
        case .environment(let variable):
            guard Self.isVariableName(variable) else {
                throw LockstepError(
                    .keyringConflict, "an environment variable cannot be named “\(variable)”",
                    hint: "use letters, digits and _, beginning with a letter or _")
            }
            return (
                .environment(variable: variable, salt: salt),
                "-> env \(name) \(variable) \(saltText)"
            )
        case .identity:
            throw LockstepError(
                .misuse, "a slot must be made for a recipient, not for an identity",
                hint: "give the identity's recipient, age1…")
        case .plugin:
            throw LockstepError(
                .misuse,
                "a slot must be made for a plugin's recipient, not for a file key from the plugin",
                hint: "give the plugin's recipient, age1NAME1…")
        }
    }

    private static func requireWrap(
        _ wrap: consuming SlotWrap?, _ name: String
    ) throws(LockstepError) -> SlotWrap {
        switch consume wrap {
        case .some(let wrap): return wrap
        case nil:
            throw LockstepError(
                .recipientMalformed, "the key of the slot \(name)'s recipient cannot be used",
                hint: "it is a point of low order; ask for another recipient")
        }
    }

    /// The ring key, or nil if the credential is of another kind or does not match.
    func open(
        with credential: borrowing Credential, ringID: [UInt8]
    ) throws(LockstepError) -> SecretBytes? {
        guard let wrap = try SlotWrap(kind, header, credential, ringID) else { return nil }
        // The commitment is checked first: it stops a ciphertext crafted to open with many keys.
        guard ConstantTime.equal(wrap.commitment.span, body.span.extracting(..<32)) else {
            return nil
        }
        return try AEAD().open(
            body.span.extracting(32...), key: wrap.key.bytes, nonce: SlotWrap.nonce.span,
            associatedData: Array(header.utf8).span)
    }
}

/// The wrap key and commitment of one slot.
private struct SlotWrap: ~Copyable {
    static let nonce = [UInt8](repeating: 0, count: AEAD.nonceLength)

    let key: SecretBytes
    let commitment: [UInt8]

    /// Nil if the credential is not of the slot's kind or the slot belongs to another identity.
    init?(
        _ slot: KeyringSlot.Kind, _ header: String, _ credential: borrowing Credential,
        _ ringID: [UInt8]
    ) throws(LockstepError) {
        switch (slot, credential.kind) {
        case (.scrypt(let salt, let cost), .passphrase):
            let stretched = try Scrypt.derive(
                credential.secret.bytes, salt: salt.span, cost: cost)
            try self.init(stretched, salt, header, ringID)
        case (.keyFile(let salt), .keyFile), (.command(let salt), .command):
            try self.init(credential.secret, salt, header, ringID)
        case (.environment(let expected, let salt), .environment(let variable)):
            guard expected == variable else { return nil }
            try self.init(credential.secret, salt, header, ringID)
        case (.x25519(let share, let tag), .identity(let recipient)):
            guard try recipient.tag() == tag else { return nil }
            try self.init(
                credential.secret, with: share, share: share, recipient: recipient.publicKey,
                header,
                ringID)
        case (.plugin(let expected, let salt, _), .plugin(let plugin)):
            guard expected == plugin, credential.secret.count == Plugin.fileKeyLength else {
                return nil
            }
            try self.init(credential.secret, salt, header, ringID)
        default: return nil
        }
    }

    /// From an ephemeral key and a recipient, from either side. Nil if either point is of low order.
    init?(
        _ secret: borrowing SecretBytes, with other: [UInt8], share: [UInt8], recipient: [UInt8],
        _ header: String, _ ringID: [UInt8]
    ) throws(LockstepError) {
        guard let shared = try X25519.sharedSecret(secret, with: other.span) else { return nil }
        // The salt contains both public keys, as in age: the shared secret alone does not determine them.
        try self.init(shared, share + recipient, header, ringID)
    }

    private init(
        _ secret: borrowing SecretBytes, _ salt: [UInt8], _ header: String, _ ringID: [UInt8]
    ) throws(LockstepError) {
        let info = Array("slot/1".utf8) + ringID + Array(header.utf8)
        let derived = try HKDF.derive(
            secret.bytes, salt: salt.span, info: info.span, count: 64)
        key = try derived.prefix(32)
        commitment = derived.publicCopy(from: 32)
    }
}
