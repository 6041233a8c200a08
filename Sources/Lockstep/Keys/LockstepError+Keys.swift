/// Keyrings, slots and recipients.
extension LockstepError.Code {
    /// The keyring's text violates its format.
    public static let keyringMalformed = Self("keyring-malformed")
    /// The keyring has a newer format or uses something that this version does not accept.
    public static let keyringUnsupported = Self("keyring-unsupported")
    /// The keyring's MAC does not match: it was changed by someone without its ring key.
    public static let keyringTampered = Self("keyring-tampered")
    /// No slot opened: wrong passphrase, key file or variable.
    public static let slotNotOpened = Self("slot-not-opened")
    /// The keyring has no slot of the requested kind, or no credential was given for its slots.
    public static let noUsableSlot = Self("no-usable-slot")
    /// The keyring is for another purpose, database or dataset.
    public static let keyringMismatch = Self("keyring-mismatch")
    /// The key does not exist, is destroyed, or is in a state that does not allow this use.
    public static let keyUnavailable = Self("key-unavailable")
    /// A slot, key or state change violates the keyring's rules.
    public static let keyringConflict = Self("keyring-conflict")
    /// Someone else has changed the keyring since it was read.
    public static let keyringChanged = Self("keyring-changed")
    /// A key cannot be destroyed, because data needs it, or because it is not known whether data needs it.
    public static let keyInUse = Self("key-in-use")
    /// The keyring is an older copy than the one that its database has seen.
    public static let keyringOutdated = Self("keyring-outdated")
    /// A text is not a valid recipient in age's notation.
    public static let recipientMalformed = Self("recipient-malformed")
    /// A file is not a valid identity file in age's notation.
    public static let identityMalformed = Self("identity-malformed")
    /// A command or plugin that provides a secret failed, took too long or printed too much.
    public static let commandFailed = Self("command-failed")
    /// The signature of a keyring or manifest is missing, wrong, or another publisher's.
    public static let signatureInvalid = Self("signature-invalid")
}
