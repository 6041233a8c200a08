/// What a program may do to a keyring's keys. Changes stay in memory until ``KeyringFile/save(_:)`` writes them.
///
/// A key is pending, then active, then retired, which it becomes when another of its kind is activated: of each
/// kind exactly one is active at any time. It may be marked as compromised and, unless it is active, destroyed.
///
/// The keys of a database are ``DatabaseKeyRotation``'s to make and to put in use, since the file has to come under
/// the new key in the same step.
extension Keyring {
    /// Makes a random key, pending: recorded, and not yet in use. Whoever gets the keyring meanwhile has the
    /// key by the time that something is made with it.
    /// - Returns: Its version.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a kind that keyrings of this purpose do not hold;
    ///   ``LockstepError/Code/keyringConflict`` for a database key, for a keyring that is signed, or issued, and
    ///   for one that is full.
    public mutating func createKey(_ kind: KeyKind) throws(LockstepError) -> UInt32 {
        try requireKeysOfItsOwn(kind)
        return try addKey(kind, state: .pending)
    }

    /// Puts a pending or a retired key in use, and retires the one that was: it opens what was made with it,
    /// and makes nothing new. A new manifest key is another publisher to all who have pinned the old one.
    /// - Returns: The version that was in use, and is retired now.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if there is no such key;
    ///   ``LockstepError/Code/keyringConflict`` if it is neither pending nor retired, for a database key, and
    ///   for a keyring that is signed, or issued; ``LockstepError/Code/keyringMismatch`` as ``createKey(_:)``.
    @discardableResult
    public mutating func activateKey(
        _ kind: KeyKind, version: UInt32
    ) throws(LockstepError) -> UInt32 {
        try requireKeysOfItsOwn(kind)
        let before = document.keys.first { $0.kind == kind && $0.state == .active }
        try setState(kind, version: version, to: .active)
        return before?.version ?? version
    }

    /// Marks a key as one that others may know. It still opens what was made with it; the verification of a
    /// database fails until the key is destroyed. The only way from there is ``destroyKey(_:version:)``.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if there is no such key;
    ///   ``LockstepError/Code/keyringConflict`` if it is the active one, which has to be replaced first, if it
    ///   is marked or destroyed already, if a rotation has begun to use it, and for a signed keyring.
    public mutating func markCompromised(
        _ kind: KeyKind, version: UInt32
    ) throws(LockstepError) {
        try setIdleState(kind, version, to: .compromised)
    }

    /// Destroys a key's material for good; its entry remains, so that errors can tell why nothing opens.
    /// What it encrypted cannot be read any more with this keyring, only with a copy from before.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if there is no such key;
    ///   ``LockstepError/Code/keyringConflict`` if it is the active one, if it is destroyed already, if a
    ///   rotation has begun to use it, and for a signed keyring.
    public mutating func destroyKey(
        _ kind: KeyKind, version: UInt32
    ) throws(LockstepError) {
        try setIdleState(kind, version, to: .destroyed)
    }

    /// How the key in use is replaced.
    static func wayToReplace(_ kind: KeyKind) -> String {
        kind == .database
            ? "put another in its place first: `lockstep keys rotate-database`, with --compromised if "
                + "others may know it"
            : "activate another key first: `lockstep keys create-key \(kind.rawValue)`, then activate-key"
    }

    /// Moves a key that nothing depends on to another state.
    private mutating func setIdleState(
        _ kind: KeyKind, _ version: UInt32, to state: KeyState
    ) throws(LockstepError) {
        try requireUnsigned()
        let entry = document.keys[try index(of: kind, version)]
        guard entry.state != .active else {
            throw LockstepError(
                .keyringConflict,
                "\(kind.rawValue) key \(version) cannot go from active to \(state.rawValue)",
                hint: Self.wayToReplace(kind))
        }
        // After an interruption the file may be under it already.
        guard kind != .database || entry.state != .pending else {
            throw LockstepError(
                .keyringConflict,
                "database key \(version) is that of a rotation which was not finished",
                hint: "finish it first: `lockstep keys rotate-database`")
        }
        try setState(kind, version: version, to: state)
    }

    private borrowing func requireKeysOfItsOwn(_ kind: KeyKind) throws(LockstepError) {
        guard purpose.kinds.contains(kind) else {
            throw LockstepError(
                .keyringMismatch,
                "a \(purpose.rawValue) keyring holds no \(kind.rawValue) keys",
                hint: "name the keyring that does: a dataset's, or a database's")
        }
        guard kind != .database else {
            throw LockstepError(
                .keyringConflict,
                "the keys of a database change together with its file",
                hint: "`lockstep keys rotate-database` makes a key and puts it in use")
        }
        // Cells under a key of the reader's own would open for nobody else.
        guard !isIssued else {
            throw LockstepError(
                .keyringConflict,
                "an issued keyring takes no keys but those that it was issued with",
                hint: "ask its publisher for a new one")
        }
        try requireUnsigned()
    }
}
