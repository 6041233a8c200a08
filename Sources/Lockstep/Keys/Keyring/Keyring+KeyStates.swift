/// Operations on a keyring's keys. Changes stay in memory until ``KeyringFile/save(_:)`` writes them.
///
/// A key is pending, then active, then retired. It is retired when another key of its kind is activated: exactly one
/// key of each kind is active at any time. A key can be marked as compromised and, unless it is active, destroyed.
///
/// Only ``DatabaseKeyRotation`` makes and activates database keys, because the file must be re-encrypted with the new
/// key in the same step.
extension Keyring {
    /// Makes a random pending key: recorded, but not yet in use. Everyone who receives the keyring before the key is
    /// activated already has it when it is first used.
    /// - Returns: Its version.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a kind that keyrings of this purpose do not contain;
    ///   ``LockstepError/Code/keyringConflict`` for a database key, and for a keyring that is signed, issued or full.
    public mutating func createKey(_ kind: KeyKind) throws(LockstepError) -> UInt32 {
        try requireKeysOfItsOwn(kind)
        return try addKey(kind, state: .pending)
    }

    /// Activates a pending or retired key and retires the previously active one, which then opens existing data but
    /// makes nothing new. To readers who have pinned the old manifest key, a new one is another publisher.
    /// - Returns: The version that was active and is now retired.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if the key does not exist;
    ///   ``LockstepError/Code/keyringConflict`` if it is neither pending nor retired, for a database key, and
    ///   for a keyring that is signed or issued; ``LockstepError/Code/keyringMismatch`` as in ``createKey(_:)``.
    @discardableResult
    public mutating func activateKey(
        _ kind: KeyKind, version: UInt32
    ) throws(LockstepError) -> UInt32 {
        try requireKeysOfItsOwn(kind)
        let before = document.keys.first { $0.kind == kind && $0.state == .active }
        try setState(kind, version: version, to: .active)
        return before?.version ?? version
    }

    /// Marks a key as compromised: others may know it. It still opens existing data, but verification of a database
    /// fails until the key is destroyed. The only state that can follow is destroyed; see ``KeyDestruction``.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if the key does not exist;
    ///   ``LockstepError/Code/keyringConflict`` if it is active and must be replaced first, if it is already
    ///   compromised or destroyed, if an unfinished rotation uses it, and for a signed keyring.
    public mutating func markCompromised(
        _ kind: KeyKind, version: UInt32
    ) throws(LockstepError) {
        try setIdleState(kind, version, to: .compromised)
    }

    /// Destroys a key's material permanently; its entry remains so that errors can explain why data does not open.
    /// This keyring can no longer read data that the key encrypted; only an earlier copy of the keyring can. Only
    /// ``KeyDestruction`` calls it, which first proves that nothing needs the key.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if the key does not exist;
    ///   ``LockstepError/Code/keyringConflict`` if it is active or already destroyed, if an unfinished rotation uses
    ///   it, and for a signed keyring.
    mutating func destroyKey(
        _ kind: KeyKind, version: UInt32
    ) throws(LockstepError) {
        try setIdleState(kind, version, to: .destroyed)
    }

    /// A hint that explains how to replace the active key.
    static func wayToReplace(_ kind: KeyKind) -> LockstepError.Advice {
        kind == .database
            ? "replace it first: \(.rotateDatabase), with \(.asCompromised) if others may know it"
            : "activate another key first: \(.createKey(kind.rawValue)), then \(.activateKey)"
    }

    /// Changes the state of a key that is neither active nor part of a rotation.
    private mutating func setIdleState(
        _ kind: KeyKind, _ version: UInt32, to state: KeyState
    ) throws(LockstepError) {
        try requireIdle(kind, version, to: state)
        try setState(kind, version: version, to: state)
    }

    /// Checks that a key is neither active nor part of a rotation, and can go to another state.
    borrowing func requireIdle(
        _ kind: KeyKind, _ version: UInt32, to state: KeyState
    ) throws(LockstepError) {
        try requireUnsigned()
        let entry = document.keys[try index(of: kind, version)]
        guard entry.state != .active else {
            throw LockstepError(
                .keyringConflict, "\(kind.rawValue) key \(version) cannot go from active to \(state.rawValue)",
                advice: Self.wayToReplace(kind))
        }
        // After an interrupted rotation the file can already use it.
        guard kind != .database || entry.state != .pending else {
            throw LockstepError(
                .keyringConflict,
                "database key \(version) belongs to an unfinished rotation",
                advice: "finish it first: \(.rotateDatabase)")
        }
        try requireSuccessor(state, of: kind, version)
    }

    private borrowing func requireKeysOfItsOwn(_ kind: KeyKind) throws(LockstepError) {
        guard purpose.kinds.contains(kind) else {
            throw LockstepError(
                .keyringMismatch,
                "a \(purpose.rawValue) keyring has no \(kind.rawValue) keys",
                hint: "name a keyring that has: a dataset's or a database's")
        }
        guard kind != .database else {
            throw LockstepError(
                .keyringConflict,
                "a database key can change only together with its file",
                advice: "\(.rotateDatabase) makes a key and activates it")
        }
        // Nobody else could open cells that a reader sealed with a private key.
        guard !isIssued else {
            throw LockstepError(
                .keyringConflict,
                "the keys of an issued keyring cannot be changed",
                hint: "ask its publisher for a new one")
        }
        try requireUnsigned()
    }
}
