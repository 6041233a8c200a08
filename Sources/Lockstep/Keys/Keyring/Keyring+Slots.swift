/// The ways to open a keyring.
extension Keyring {
    /// Adds a way to open the keyring.
    /// - Parameter cost: What a passphrase costs whoever guesses, and whoever opens the slot; nothing else
    ///   has a cost.
    /// - Throws: ``LockstepError/Code/keyringConflict`` if the name is taken or is none, or if the
    ///   keyring's passphrases together would cost more than one of N = 2^21.
    public mutating func addSlot(
        _ name: String, _ credential: borrowing Credential, cost: PassphraseCost = .standard
    ) throws(LockstepError) {
        // Before anything is measured.
        try requireRoom(for: name)
        try addSlot(name, credential, cost: scryptCost(cost, credential, name))
    }

    mutating func addSlot(
        _ name: String, _ credential: borrowing Credential, cost: Scrypt.Cost
    ) throws(LockstepError) {
        try requireRoom(for: name)
        document.slots.append(
            try KeyringSlot(
                name: name, credential, ringKey: ringKey, ringID: document.ringID, cost: cost))
    }

    /// Adds a slot that the identity of `recipient` opens: nothing of theirs is needed but their public key.
    /// - Throws: ``LockstepError/Code/keyringConflict`` if the name is taken or is none;
    ///   ``LockstepError/Code/recipientMalformed`` for a public key of low order.
    public mutating func addSlot(
        _ name: String, for recipient: Recipient
    ) throws(LockstepError) {
        try requireRoom(for: name)
        document.slots.append(
            try KeyringSlot(
                name: name, recipient, ringKey: ringKey, ringID: document.ringID))
    }

    /// Adds a slot that an identity of the plugin opens. The plugin's program is run once.
    /// - Throws: ``LockstepError/Code/keyringConflict`` if the name is taken or is none;
    ///   ``LockstepError/Code/misuse`` if `plugin` is not the recipient's;
    ///   ``LockstepError/Code/commandFailed`` if the plugin cannot be run, reports an error, breaks the protocol, or
    ///   returns several stanzas or one that no keyring takes; what its ``Plugin/interaction`` throws.
    public mutating func addSlot(
        _ name: String, for recipient: PluginRecipient, through plugin: Plugin
    ) throws {
        // Before anybody is asked for a touch.
        try requireRoom(for: name)
        try KeyringSlot.requireName(name)
        guard plugin.name == recipient.plugin else {
            throw LockstepError(
                .misuse, "the plugin \(plugin.name) does not seal for age1\(recipient.plugin)1…",
                hint: "find the plugin by the recipient's name")
        }
        let fileKey = try SecretBytes(random: Plugin.fileKeyLength)
        let stanza = try plugin.wrap(fileKey, for: recipient)
        document.slots.append(
            try KeyringSlot(
                name: name, plugin.name, stanza, fileKey: fileKey, ringKey: ringKey,
                ringID: document.ringID))
    }

    /// Adds a slot for a recipient of either kind.
    /// - Parameter plugin: Gives the plugin of this name; it is asked for recipients of plugins only.
    /// - Throws: as the other two, and what `plugin` throws.
    public mutating func addSlot(
        _ name: String, for recipient: SlotRecipient, plugin: (PluginName) throws -> Plugin
    ) throws {
        switch recipient {
        case .identity(let recipient): try addSlot(name, for: recipient)
        case .plugin(let recipient):
            try requireRoom(for: name)
            try addSlot(name, for: recipient, through: plugin(recipient.plugin))
        }
    }

    /// Removes a way to open the keyring. Who has a copy of the file from before still opens that one, and
    /// whoever knew the ring key knows it on: ``rotateRing()`` shuts them out of what comes next.
    /// - Parameter force: Whether the last slot may go, too; then a new one is due before it is written.
    /// - Throws: ``LockstepError/Code/keyringConflict`` if there is no such slot, or it is the last.
    public mutating func removeSlot(
        _ name: String, force: Bool = false
    ) throws(LockstepError) {
        let index = try slot(name)
        guard document.slots.count > 1 || force else {
            throw LockstepError(
                .keyringConflict, "\(name) is the last slot; without it nothing opens the keyring",
                hint: "add another slot first")
        }
        document.slots.remove(at: index)
    }

    /// Has `credential` open a slot in the place of what opened it, such as another passphrase.
    /// - Parameter cost: as in ``addSlot(_:_:cost:)``.
    /// - Throws: ``LockstepError/Code/keyringConflict`` if there is no such slot, or if the keyring's
    ///   passphrases together would cost more than one of N = 2^21.
    public mutating func changeSlot(
        _ name: String, to credential: borrowing Credential, cost: PassphraseCost = .standard
    ) throws(LockstepError) {
        _ = try slot(name)
        try changeSlot(name, to: credential, cost: scryptCost(cost, credential, name))
    }

    mutating func changeSlot(
        _ name: String, to credential: borrowing Credential, cost: Scrypt.Cost
    ) throws(LockstepError) {
        let index = try slot(name)
        document.slots[index] = try KeyringSlot(
            name: name, credential, ringKey: ringKey, ringID: document.ringID, cost: cost)
    }

    /// Whether `credential` opens the slot of this name. For a passphrase it costs what opening does.
    /// - Throws: ``LockstepError/Code/keyringConflict`` if there is no such slot.
    public borrowing func opens(
        _ name: String, with credential: borrowing Credential
    ) throws(LockstepError) -> Bool {
        let slot = document.slots[try slot(name)]
        let opened = try slot.open(with: credential, ringID: document.ringID)
        return opened != nil
    }

    /// Puts a new ring key in the place of the old one, wraps all keys anew, and drops all slots: whoever
    /// opened the old ring does not open the new one until a slot is added for them. What the keys have
    /// encrypted stays as it is. If it throws, nothing has changed.
    /// - Throws: ``LockstepError/Code/keyringTampered`` if a key does not unwrap.
    public mutating func rotateRing() throws(LockstepError) {
        let ringID = try Random.bytes(KeyringDocument.ringIDLength)
        let fresh = try SecretBytes(random: 32)
        var keys = document.keys
        for index in keys.indices where keys[index].wrapped != nil {
            let material = try unwrap(keys[index])
            try Self.wrap(material, into: &keys[index], fresh, ringID)
        }
        document.formerRings =
            (document.formerRings + [document.ringID]).suffix(KeyringDocument.maximumFormerRings)
        setRing(ringID, fresh)
        document.keys = keys
        document.slots = []
    }

    /// The cost of the slot `name` that `credential` is to open. Readers refuse what costs too much in all.
    private borrowing func scryptCost(
        _ wish: PassphraseCost, _ credential: borrowing Credential, _ name: String
    ) throws(LockstepError) -> Scrypt.Cost {
        guard credential.kind == .passphrase else { return .standard }
        let left = Scrypt.Cost.maximumTogether - document.costOfSlots(besides: name)
        let cost = try wish.scrypt(within: left)
        guard cost.n <= left else {
            throw LockstepError(
                .keyringConflict,
                "with that passphrase the keyring's slots together would cost more than one of N = 2^21",
                hint: "choose a lower cost, remove a slot, or add one for a recipient instead")
        }
        return cost
    }

    private func slot(_ name: String) throws(LockstepError) -> Int {
        guard let index = document.slots.firstIndex(where: { $0.name == name }) else {
            throw LockstepError(
                .keyringConflict, "the keyring has no slot \(name)",
                hint: "it has \(document.slots.map(\.name).joined(separator: ", "))")
        }
        return index
    }

    private func requireRoom(for name: String) throws(LockstepError) {
        guard !document.slots.contains(where: { $0.name == name }) else {
            throw LockstepError(
                .keyringConflict, "the keyring has a slot \(name) already",
                hint: "choose another name")
        }
        guard document.slots.count < KeyringDocument.maximumSlots else {
            throw LockstepError(
                .keyringConflict, "the keyring has \(KeyringDocument.maximumSlots) slots already",
                hint: "remove one first")
        }
    }
}
