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
    /// - Parameters:
    ///   - recipients: The recipients by slot name: one, or several people of one customer. Each sees the names of the
    ///     others.
    ///   - databases: The identities of the databases that the customer gets, 16 bytes each. The keyring carries the
    ///     records of these alone: a record names sealed tables and columns, and says how often they changed. If nil,
    ///     the only database of which this keyring has a record; with records of several, the customer's must be named.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a database keyring and for an issued one;
    ///   ``LockstepError/Code/keyringConflict`` for an invalid name, for no recipients and for more than 64 of them,
    ///   for a database without a record, and if none is named of several; ``LockstepError/Code/recipientMalformed``
    ///   for a public key of low order; ``LockstepError/Code/keyringTampered`` if a key does not unwrap.
    public borrowing func issue(
        // exact: names of slots
        to recipients: [String: Recipient], with databases: Set<[UInt8]>? = nil
    ) throws(LockstepError) -> Keyring {
        var keyring = try issuable(recipients.count, databases)
        for (name, recipient) in recipients.sorted(by: { $0.key < $1.key }) {
            try keyring.addSlot(name, for: recipient)
        }
        return keyring
    }

    /// Makes a keyring of the same dataset for recipients of either kind.
    /// - Parameters:
    ///   - recipients: The recipients by slot name.
    ///   - databases: The identities of the databases that the customer gets, as for X25519 recipients.
    ///   - plugin: Returns the plugin with this name; it is called only for plugin recipients.
    /// - Throws: as for X25519 recipients; ``LockstepError/Code/commandFailed`` if a plugin cannot seal for its
    ///   recipient; any error that `plugin` throws.
    public borrowing func issue(
        // exact: names of slots
        to recipients: [String: SlotRecipient], with databases: Set<[UInt8]>? = nil,
        plugin: (PluginName) throws -> Plugin
    ) throws -> Keyring {
        var keyring = try issuable(recipients.count, databases)
        for (name, recipient) in recipients.sorted(by: { $0.key < $1.key }) {
            try keyring.addSlot(name, for: recipient, plugin: plugin)
        }
        return keyring
    }

    /// The keyring to issue, without slots.
    private borrowing func issuable(
        _ recipients: Int, _ databases: Set<[UInt8]>?
    ) throws(LockstepError) -> Keyring {
        try requireIssuer()
        guard recipients > 0 else {
            throw LockstepError(
                .keyringConflict, "an issued keyring needs at least one recipient",
                hint: "give the customer's recipient, age1…")
        }
        let ringID = try Random.bytes(KeyringDocument.ringIDLength)
        let ringKey = try SecretBytes(random: 32)
        var issued = KeyringDocument(ringID: ringID, epoch: 1, purpose: .fields, subjectID: subjectID)
        for entry in document.keys where entry.kind != .manifest {
            var own = entry
            if own.wrapped != nil { try Self.wrap(unwrap(entry), into: &own, ringKey, ringID) }
            issued.keys.append(own)
        }
        // The customer's copy of a database must prove the same state as the publisher's.
        issued.sealed = try records(of: databases).map { $0.withEpoch(0) }
        return Keyring(document: issued, ringKey: ringKey)
    }

    /// The records of databases that a customer's keyring carries.
    private borrowing func records(
        of databases: Set<[UInt8]>?
    ) throws(LockstepError) -> [SealedRecord] {
        guard let databases else {
            guard document.sealed.count <= 1 else {
                throw LockstepError(
                    .keyringConflict,
                    "the keyring has records of \(document.sealed.count) databases, and nobody said which of them the "
                        + "customer gets",
                    hint:
                        "name each database that the customer gets: the issued keyring records no other"
                )
            }
            return document.sealed
        }
        let found = document.sealed.filter { databases.contains($0.database) }
        guard found.count == databases.count else {
            throw LockstepError(
                .keyringConflict,
                "the keyring has no record of \(counted(databases.count - found.count, "database")) that the customer gets",
                hint:
                    "seal a column of each for this dataset first, and check that it is the dataset's keyring"
            )
        }
        return found
    }

    /// Makes a keyring of the same dataset for one recipient, with a slot of the name ``issuedSlotName``.
    /// - Throws: The same as for several recipients.
    public borrowing func issue(
        to recipient: Recipient, with databases: Set<[UInt8]>? = nil
    ) throws(LockstepError) -> Keyring {
        try issue(to: [Self.issuedSlotName: recipient], with: databases)
    }

    private borrowing func requireIssuer() throws(LockstepError) {
        guard purpose == .fields else {
            throw LockstepError(
                .keyringMismatch, "a \(purpose.rawValue) keyring cannot be issued: it opens the file",
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
