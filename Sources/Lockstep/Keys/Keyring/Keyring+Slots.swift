/// The slots of a keyring: the ways to open it.
extension Keyring {
    /// Adds a way to open the keyring.
    /// - Parameters:
    ///   - name: The slot's name.
    ///   - credential: What opens the slot.
    ///   - cost: The cost of each guess and of each opening, for a passphrase; other credentials have no cost.
    /// - Throws: ``LockstepError/Code/keyringConflict`` if the name is taken or invalid, or if the
    ///   keyring's passphrases together would cost more than one with N = 2^21.
    public mutating func addSlot(
        _ name: String, _ credential: borrowing Credential, cost: PassphraseCost = .standard
    ) throws(LockstepError) {
        // Before a calibration runs.
        try requireRoom(for: name)
        try addSlot(name, credential, cost: scryptCost(cost, credential, name))
    }

    mutating func addSlot(
        _ name: String, _ credential: borrowing Credential, cost: Scrypt.Cost
    ) throws(LockstepError) {
        try requireRoom(for: name)
        document.slots.append(
            try KeyringSlot(name: name, credential, ringKey: ringKey, ringID: document.ringID, cost: cost))
    }

    /// Adds a slot that the identity of `recipient` opens. Only the recipient's public key is needed.
    /// - Throws: ``LockstepError/Code/keyringConflict`` if the name is taken or invalid;
    ///   ``LockstepError/Code/recipientMalformed`` for a public key of low order.
    public mutating func addSlot(
        _ name: String, for recipient: Recipient
    ) throws(LockstepError) {
        try requireRoom(for: name)
        document.slots.append(
            try KeyringSlot(
                name: name, recipient, ringKey: ringKey, ringID: document.ringID))
    }

    /// Adds a slot that an identity of the plugin opens. Runs the plugin's program once.
    /// - Throws: ``LockstepError/Code/keyringConflict`` if the name is taken or invalid;
    ///   ``LockstepError/Code/misuse`` if `plugin` is not the recipient's plugin;
    ///   ``LockstepError/Code/commandFailed`` if the plugin cannot be run, reports an error, violates the protocol, or
    ///   returns several stanzas or one that is too long; any error that its ``Plugin/interaction`` throws.
    public mutating func addSlot(_ name: String, for recipient: PluginRecipient, through plugin: Plugin) throws {
        // Before the plugin asks for a touch.
        try requireRoom(for: name)
        try KeyringSlot.requireName(name)
        guard plugin.name == recipient.plugin else {  // exact: names of slots
            throw LockstepError(
                .misuse, "the plugin \(plugin.name) cannot seal for age1\(recipient.plugin)1…",
                hint: "use the plugin that the recipient names")
        }
        let fileKey = try SecretBytes(random: Plugin.fileKeyLength)
        let stanza = try plugin.wrap(fileKey, for: recipient)
        document.slots.append(
            try KeyringSlot(
                name: name, plugin.name, stanza, fileKey: fileKey, ringKey: ringKey, ringID: document.ringID))
    }

    /// Adds a slot for a recipient of either kind.
    /// - Parameters:
    ///   - name: The slot's name.
    ///   - recipient: The recipient, whose identity opens the slot.
    ///   - plugin: Returns the plugin with this name; it is called only for plugin recipients.
    /// - Throws: as the other two, and any error that `plugin` throws.
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

    /// Removes a way to open the keyring. The removed slot still opens earlier copies of the file, and anyone who knew
    /// the ring key still knows it: ``rotateRing()`` shuts them out of later versions.
    /// - Parameters:
    ///   - name: The slot's name.
    ///   - force: Whether to remove even the last slot; then a slot must be added before the keyring is written.
    /// - Throws: ``LockstepError/Code/keyringConflict`` if the slot does not exist, or is the last.
    public mutating func removeSlot(
        _ name: String, force: Bool = false
    ) throws(LockstepError) {
        let index = try slot(name)
        guard document.slots.count > 1 || force else {
            throw LockstepError(
                .keyringConflict, "\(name) is the last slot; the keyring could not be opened without it",
                hint: "add another slot first")
        }
        document.slots.remove(at: index)
    }

    /// Replaces the credential that opens a slot, for example with another passphrase.
    /// - Parameters:
    ///   - name: The slot's name.
    ///   - credential: What opens the slot from now on.
    ///   - cost: as in ``addSlot(_:_:cost:)``.
    /// - Throws: ``LockstepError/Code/keyringConflict`` if the slot does not exist, or if the keyring's
    ///   passphrases together would cost more than one with N = 2^21.
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

    /// Whether `credential` opens the slot with this name. For a passphrase, this costs as much as opening the keyring.
    /// - Throws: ``LockstepError/Code/keyringConflict`` if the slot does not exist.
    public borrowing func opens(
        _ name: String, with credential: borrowing Credential
    ) throws(LockstepError) -> Bool {
        let slot = document.slots[try slot(name)]
        if try slot.open(with: credential, ringID: document.ringID) != nil { return true }
        return try slot.openAsTyped(with: credential, ringID: document.ringID) != nil
    }

    /// Replaces the ring key, wraps all keys with the new one, and removes all slots: no one can open the new ring
    /// until a slot is added for them. Data encrypted with the keys does not change. If it throws, nothing changes.
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

    /// The cost of the slot `name` for `credential`. Readers reject keyrings whose total cost is too high.
    private borrowing func scryptCost(
        _ wanted: PassphraseCost, _ credential: borrowing Credential, _ name: String
    ) throws(LockstepError) -> Scrypt.Cost {
        guard credential.isPassphrase else { return .standard }
        let left = Scrypt.Cost.maximumTogether - document.costOfSlots(besides: name)
        let cost = try wanted.scrypt(within: left)
        guard cost.n <= left else {
            throw LockstepError(
                .keyringConflict,
                "with that passphrase the keyring's slots together would cost more than one with " + "N = 2^21",
                hint: "choose a lower cost, remove a slot, or add one for a recipient instead")
        }
        return cost
    }

    private func slot(_ name: String) throws(LockstepError) -> Int {
        // exact: names of slots
        guard let index = document.slots.firstIndex(where: { $0.name == name }) else {
            throw LockstepError(
                .keyringConflict, "the keyring has no slot \(name)",
                hint: "it has \(document.slots.map(\.name).joined(separator: ", "))")
        }
        return index
    }

    private func requireRoom(for name: String) throws(LockstepError) {
        guard !document.slots.contains(where: { $0.name == name }) else {  // exact: names of slots
            throw LockstepError(.keyringConflict, "the keyring already has a slot \(name)", hint: "choose another name")
        }
        guard document.slots.count < KeyringDocument.maximumSlots else {
            throw LockstepError(
                .keyringConflict, "the keyring already has \(KeyringDocument.maximumSlots) slots",
                hint: "remove one first")
        }
    }
}
