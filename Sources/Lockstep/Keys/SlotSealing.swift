/// How a slot wraps the ring key. The derivations stand in KeyringDocument.swift.
extension KeyringDocument.Slot {
    /// Makes a slot that `credential` opens.
    init(
        name: String, _ credential: borrowing Credential, ringKey: borrowing SecretBytes,
        ringID: [UInt8], cost: Scrypt.Cost
    ) throws(LockstepError) {
        guard PlainName.isValid(name) else {
            throw LockstepError(
                .keyringConflict, "a slot cannot be named “\(name)”",
                hint: "use \(PlainName.rule)")
        }
        let salt = try Random.bytes(16)
        let saltText = Base64.encode(salt)
        switch credential.kind {
        case .passphrase:
            kind = .scrypt(salt: salt, cost: cost)
            header = "-> scrypt \(name) \(saltText) \(cost.logN) \(cost.r) \(cost.p)"
        case .keyFile:
            kind = .keyFile(salt: salt)
            header = "-> keyfile \(name) \(saltText)"
        case .environment(let variable):
            guard KeyringParser.isVariableName(variable) else {
                throw LockstepError(
                    .keyringConflict, "“\(variable)” cannot be an environment variable's name",
                    hint: "use letters, digits and _, a letter or _ first")
            }
            kind = .environment(variable: variable, salt: salt)
            header = "-> env \(name) \(variable) \(saltText)"
        }
        self.name = name
        guard let wrap = try SlotWrap(kind, header, credential, ringID) else {
            throw LockstepError(.misuse, "the slot \(name) does not take a \(credential.name)")
        }
        let sealed = try AES256GCM().seal(
            ringKey.bytes, key: wrap.key.bytes, nonce: SlotWrap.nonce.span,
            associatedData: Array(header.utf8).span)
        body = wrap.commitment + sealed
    }

    /// The ring key, or nil if the credential is of another kind or does not fit.
    func open(
        with credential: borrowing Credential, ringID: [UInt8]
    ) throws(LockstepError) -> SecretBytes? {
        guard let wrap = try SlotWrap(kind, header, credential, ringID) else { return nil }
        // The commitment comes first: a ciphertext made to open under many keys ends here.
        guard ConstantTime.equal(wrap.commitment.span, body.span.extracting(..<32)) else {
            return nil
        }
        return try AES256GCM().open(
            body.span.extracting(32...), key: wrap.key.bytes, nonce: SlotWrap.nonce.span,
            associatedData: Array(header.utf8).span)
    }
}

/// The wrap key and commitment of one slot.
private struct SlotWrap: ~Copyable {
    static let nonce = [UInt8](repeating: 0, count: AES256GCM.nonceLength)

    let key: SecretBytes
    let commitment: [UInt8]

    /// Nil where the credential is not of the slot's kind.
    init?(
        _ kind: KeyringDocument.Slot.Kind, _ header: String, _ credential: borrowing Credential,
        _ ringID: [UInt8]
    ) throws(LockstepError) {
        guard let (salt, cost) = Self.parameters(kind, credential.kind) else { return nil }
        let info = Array("slot/1".utf8) + ringID + Array(header.utf8)
        let derived: SecretBytes
        if let cost {
            let stretched = try Scrypt.derive(
                credential.secret.bytes, salt: salt.span, cost: cost)
            derived = try Self.derive(stretched, salt, info)
        } else {
            derived = try Self.derive(credential.secret, salt, info)
        }
        key = try derived.prefix(32)
        var commitment: [UInt8] = []
        for index in 32..<64 { commitment.append(derived.bytes[index]) }
        self.commitment = commitment
    }

    /// The salt, and the cost where the secret is stretched; nil where the kinds do not match.
    private static func parameters(
        _ slot: KeyringDocument.Slot.Kind, _ credential: Credential.Kind
    ) -> ([UInt8], Scrypt.Cost?)? {
        switch (slot, credential) {
        case (.scrypt(let salt, let cost), .passphrase): (salt, cost)
        case (.keyFile(let salt), .keyFile): (salt, nil)
        case (.environment(let expected, let salt), .environment(let variable)):
            expected == variable ? (salt, nil) : nil
        default: nil
        }
    }

    private static func derive(
        _ secret: borrowing SecretBytes, _ salt: [UInt8], _ info: [UInt8]
    ) throws(LockstepError) -> SecretBytes {
        try HKDF.derive(secret.bytes, salt: salt.span, info: info.span, count: 64)
    }
}
