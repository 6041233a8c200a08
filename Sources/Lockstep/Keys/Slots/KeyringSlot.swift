/// One way to the ring key: the content of a slot in a keyring.
struct KeyringSlot: Sendable, Equatable {
    /// The exact header line.
    let header: String
    let name: String
    let kind: any SlotKind
    let body: [UInt8]

    /// The header line determines the name and the kind.
    static func == (one: KeyringSlot, other: KeyringSlot) -> Bool {
        one.header == other.header && one.body == other.body
    }
}

extension KeyringSlot {
    /// Takes the two lines of a slot.
    init(from text: inout CanonicalText) throws(LockstepError) {
        let header = try SlotHeader(from: &text)
        let type = Self.kinds.first { $0.type == header.type } ?? UnknownSlot.self
        guard type.fieldCount.contains(header.fields.count) else {
            throw text.bad("the slot has the wrong number of fields")
        }
        self.init(
            header: header.line, name: header.name, kind: try type.init(header),
            body: try text.base64(
                text.take("a slot's body"), type.bodyLength, "a slot's body"))
    }

    /// Makes a slot that `credential` opens.
    /// - Parameter cost: The cost of a passphrase.
    init(
        name: String, _ credential: borrowing Credential, ringKey: borrowing SecretBytes,
        ringID: [UInt8], cost: Scrypt.Cost
    ) throws(LockstepError) {
        try Self.requireName(name)
        let kind = try credential.opener.newSlot(cost: cost)
        let info = Self.info(kind.header(name), ringID)
        try self.init(name, kind, kind.wrap(credential, info), ringKey)
    }

    /// Seals the ring key in a slot.
    init(
        _ name: String, _ kind: any SlotKind, _ wrap: consuming SlotWrap?,
        _ ringKey: borrowing SecretBytes
    ) throws(LockstepError) {
        switch consume wrap {
        case .some(let wrap):
            let header = kind.header(name)
            self.init(
                header: header, name: name, kind: kind,
                body: try wrap.seal(ringKey, header: header))
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
        guard let wrap = try kind.wrap(credential, Self.info(header, ringID)) else { return nil }
        return try wrap.open(body, header: header)
    }

    /// The same with a passphrase as typed, where that is another text.
    func openAsTyped(
        with credential: borrowing Credential, ringID: [UInt8]
    ) throws(LockstepError) -> SecretBytes? {
        guard let wrap = try kind.wrapAsTyped(credential, Self.info(header, ringID)) else { return nil }
        return try wrap.open(body, header: header)
    }

    /// The input of the derivation of a slot's wrap besides its secret and salt.
    static func info(_ header: String, _ ringID: [UInt8]) -> [UInt8] {
        Array("slot/1".utf8) + ringID + Array(header.utf8)
    }

    /// The slot as readers see it.
    var description: SlotDescription {
        SlotDescription(name: name, kind: kind.description, opensWith: kind.opensWith)
    }

    static func requireName(_ name: String) throws(LockstepError) {
        guard PlainName.isValid(name) else {
            throw LockstepError(
                .keyringConflict, "a slot cannot be named “\(name)”",
                hint: "use \(PlainName.rule)")
        }
    }
}
