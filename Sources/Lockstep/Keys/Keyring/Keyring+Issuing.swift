extension Keyring {
    /// What a slot of an issued keyring is called where nobody says otherwise.
    public static let issuedSlotName = "reader"

    /// Whether this keyring was issued: it reads its dataset, and has no manifest key to sign with.
    public var isIssued: Bool { document.isIssued }

    /// Makes a keyring of the same dataset for one customer, under a ring key of its own.
    ///
    /// It holds the field and index keys in the states that they are in, those that were destroyed as entries
    /// without material, and no manifest key: whoever opens it reads all cells, and cannot sign as the
    /// publisher. It names no other customer, and nobody else's identity opens it. The database stays as it is,
    /// the same file for all. When the keys change, issue anew.
    ///
    /// Write it with ``KeyringFile/create(_:signedBy:)``, so that the customer can tell whom it comes from.
    /// - Parameter recipients: Who may open it, by the names of their slots: one, or several people of one
    ///   customer. Each sees the names of the others.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a database keyring, and for one that was issued;
    ///   ``LockstepError/Code/keyringConflict`` for a name that is none, for none and for more than 64 of them;
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
    /// - Parameter plugin: Gives the plugin of this name; it is asked for recipients of plugins only.
    /// - Throws: as for recipients of the other kind; ``LockstepError/Code/commandFailed`` if a plugin does not seal
    ///   for its recipient; what `plugin` throws.
    public borrowing func issue(
        to recipients: [String: SlotRecipient], plugin: (PluginName) throws -> Plugin
    ) throws -> Keyring {
        var keyring = try issuable(recipients.count)
        for (name, recipient) in recipients.sorted(by: { $0.key < $1.key }) {
            try keyring.addSlot(name, for: recipient, plugin: plugin)
        }
        return keyring
    }

    /// The keyring that is issued, which has no slot yet.
    private borrowing func issuable(_ recipients: Int) throws(LockstepError) -> Keyring {
        try requireIssuer()
        guard recipients > 0 else {
            throw LockstepError(
                .keyringConflict, "a keyring is issued to at least one recipient",
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
        // The customer's copy of a file must prove what the publisher's did.
        issued.sealed = document.sealed
        return Keyring(document: issued, ringKey: ringKey)
    }

    /// Makes a keyring of the same dataset for one recipient, as for several.
    public borrowing func issue(to recipient: Recipient) throws(LockstepError) -> Keyring {
        try issue(to: [Self.issuedSlotName: recipient])
    }

    private borrowing func requireIssuer() throws(LockstepError) {
        guard purpose == .fields else {
            throw LockstepError(
                .keyringMismatch, "a \(purpose.rawValue) keyring is not issued: it opens the file",
                hint: "issue the dataset's, <dataset>.fields.keyring")
        }
        guard !isIssued else {
            throw LockstepError(
                .keyringMismatch, "an issued keyring issues no others",
                hint: "ask its publisher, who can sign what is issued")
        }
    }
}

extension KeyringFile {
    /// Writes a keyring that has no file yet, signed: its reader can tell whom it comes from, and nobody changes
    /// it unnoticed. What opens it cannot be changed either; the publisher issues another one instead.
    /// - Parameter publisher: The publisher's fields keyring.
    /// - Throws: ``LockstepError/Code/alreadyExists`` rather than replace one;
    ///   ``LockstepError/Code/keyringMismatch`` if `publisher` cannot sign.
    public func create(
        _ keyring: borrowing Keyring, signedBy publisher: borrowing Keyring
    ) throws {
        try create(keyring, signer: publisher.signingKey())
    }
}
