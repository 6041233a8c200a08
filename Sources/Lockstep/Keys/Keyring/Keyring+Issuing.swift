extension Keyring {
    /// The default name of a slot in an issued keyring.
    public static let issuedSlotName = "reader"

    /// Whether this keyring was issued: it reads its dataset and has no manifest key to sign with.
    public var isIssued: Bool { document.isIssued }

    /// Makes a keyring of the same dataset for one customer, with its own ring key.
    ///
    /// It contains the field and index keys in their current states (destroyed keys as entries without material) and
    /// no manifest key: anyone who opens it can read all cells but cannot sign as the publisher. It does not name
    /// other customers, and only the recipients' identities open it. The database does not change; all customers use
    /// the same file. When the keys change, issue a new keyring.
    ///
    /// Write it with ``KeyringFile/create(_:signedBy:)``, so that the customer can verify its publisher.
    /// - Parameter recipients: The recipients by slot name: one, or several people of one customer. Each sees the
    ///   names of the others.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a database keyring and for an issued one;
    ///   ``LockstepError/Code/keyringConflict`` for an invalid name, for no recipients and for more than 64 of them;
    ///   ``LockstepError/Code/recipientMalformed`` for a public key of low order;
    ///   ``LockstepError/Code/keyringTampered`` if a key does not unwrap.
    public borrowing func issue(
        to recipients: [String: Recipient]
    ) throws(LockstepError) -> Keyring {
        var keyring = try issuable(recipients.count)
        for (name, recipient) in recipients.sorted(by: { $0.key < $1.key }) {
            try keyring.addSlot(name, for: recipient)
        }
        return keyring
    }

    /// Makes a keyring of the same dataset for recipients of either kind.
    /// - Parameters:
    ///   - recipients: The recipients by slot name.
    ///   - plugin: Returns the plugin with this name; it is called only for plugin recipients.
    /// - Throws: as for X25519 recipients; ``LockstepError/Code/commandFailed`` if a plugin cannot seal for its
    ///   recipient; any error that `plugin` throws.
    public borrowing func issue(
        to recipients: [String: SlotRecipient], plugin: (PluginName) throws -> Plugin
    ) throws -> Keyring {
        var keyring = try issuable(recipients.count)
        for (name, recipient) in recipients.sorted(by: { $0.key < $1.key }) {
            try keyring.addSlot(name, for: recipient, plugin: plugin)
        }
        return keyring
    }

    /// The keyring to issue, without slots.
    private borrowing func issuable(_ recipients: Int) throws(LockstepError) -> Keyring {
        try requireIssuer()
        guard recipients > 0 else {
            throw LockstepError(
                .keyringConflict, "an issued keyring needs at least one recipient",
                hint: "give the customer's recipient, age1…")
        }
        let ringID = try Random.bytes(KeyringDocument.ringIDLength)
        let ringKey = try SecretBytes(random: 32)
        var issued = KeyringDocument(
            ringID: ringID, epoch: 1, purpose: .fields, subjectID: subjectID)
        for entry in document.keys where entry.kind != .manifest {
            var own = entry
            if own.wrapped != nil { try Self.wrap(unwrap(entry), into: &own, ringKey, ringID) }
            issued.keys.append(own)
        }
        // The customer's copy of a database must prove the same state as the publisher's.
        issued.sealed = document.sealed.map { $0.withEpoch(0) }
        return Keyring(document: issued, ringKey: ringKey)
    }

    /// Makes a keyring of the same dataset for one recipient, with a slot of the name ``issuedSlotName``.
    /// - Throws: The same as for several recipients.
    public borrowing func issue(to recipient: Recipient) throws(LockstepError) -> Keyring {
        try issue(to: [Self.issuedSlotName: recipient])
    }

    private borrowing func requireIssuer() throws(LockstepError) {
        guard purpose == .fields else {
            throw LockstepError(
                .keyringMismatch,
                "a \(purpose.rawValue) keyring cannot be issued: it opens the file",
                hint: "issue the dataset's keyring, <dataset>.fields.keyring")
        }
        guard !isIssued else {
            throw LockstepError(
                .keyringMismatch, "an issued keyring cannot issue others",
                hint: "ask its publisher, who can sign issued keyrings")
        }
    }
}

extension KeyringFile {
    /// Signs a new keyring and writes it: its reader can verify the publisher and detect any change. Its slots cannot
    /// be changed either; the publisher issues another keyring instead.
    /// - Parameters:
    ///   - keyring: The keyring to write.
    ///   - publisher: The publisher's fields keyring.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if the file exists;
    ///   ``LockstepError/Code/keyringMismatch`` if `publisher` cannot sign.
    public func create(
        _ keyring: borrowing Keyring, signedBy publisher: borrowing Keyring
    ) throws {
        try create(keyring, signer: publisher.signingKey())
    }
}
