/// The keys of a keyring and their state changes.
extension Keyring {
    /// Unwraps every key that has material.
    /// - Throws: ``LockstepError/Code/keyringTampered`` if a key does not unwrap or does not match its commitment.
    public borrowing func requireSound() throws(LockstepError) {
        for entry in document.keys where entry.wrapped != nil { _ = try unwrap(entry) }
    }

    /// Adds a random key with the next version and returns that version.
    @discardableResult
    mutating func addKey(
        _ kind: KeyKind, state: KeyState, today: CalendarDay = .today
    ) throws(LockstepError) -> UInt32 {
        guard document.keys.count < KeyringDocument.maximumKeys else {
            throw LockstepError(
                .keyringConflict, "the keyring already has \(KeyringDocument.maximumKeys) keys",
                hint: "make a new keyring")
        }
        let (version, overflow) = (document.keys.filter { $0.kind == kind }.map(\.version).max() ?? 0)
            .addingReportingOverflow(1)
        guard !overflow else {
            throw LockstepError(
                .keyringConflict, "the versions of \(kind.rawValue) keys are used up", hint: "make a new keyring")
        }
        let material = try SecretBytes(random: 32)
        var entry = KeyringDocument.KeyEntry(
            kind: kind, version: version, state: state, day: today,
            commitment: try Self.commitment(of: material), wrapped: nil)
        try wrap(material, into: &entry)
        document.keys.append(entry)
        return version
    }

    /// Moves a key to another state. Activating a key retires the previously active one.
    ///
    /// If it throws, nothing changes.
    mutating func setState(
        _ kind: KeyKind, version: UInt32, to state: KeyState, today: CalendarDay = .today
    ) throws(LockstepError) {
        try requireSuccessor(state, of: kind, version)
        let index = try index(of: kind, version)
        var keys = document.keys
        keys[index] = try rewrapped(keys[index], as: state, today)
        if state == .active {
            for other in keys.indices where other != index && keys[other].kind == kind && keys[other].state == .active {
                keys[other] = try rewrapped(keys[other], as: .retired, today)
            }
        }
        document.keys = keys
    }

    /// Checks that `state` can follow a key's present state.
    borrowing func requireSuccessor(
        _ state: KeyState, of kind: KeyKind, _ version: UInt32
    ) throws(LockstepError) {
        let old = document.keys[try index(of: kind, version)].state
        guard old != state else {
            throw LockstepError(.keyringConflict, "\(kind.rawValue) key \(version) is already \(state.rawValue)")
        }
        guard old.successors.contains(state) else {
            throw LockstepError(
                .keyringConflict, "\(kind.rawValue) key \(version) cannot go from \(old.rawValue) to \(state.rawValue)",
                advice: old == .active ? Self.wayToReplace(kind) : nil)
        }
    }

    /// Changes the keyring and writes it over the file that it was opened from. If it throws, the keyring in memory is
    /// unchanged; so is the file, unless the folder could not be synced after the file was replaced.
    package mutating func change(
        in file: KeyringFile, _ body: (inout Keyring) throws -> Void
    ) throws {
        let before = document
        do {
            try body(&self)
            try file.save(&self)
        } catch {
            document = before
            throw error
        }
    }

    /// - Throws: ``LockstepError/Code/keyringConflict`` for a signed keyring.
    borrowing func requireUnsigned() throws(LockstepError) {
        guard document.signature == nil else {
            throw LockstepError(
                .keyringConflict, "the keyring is signed; a change would break its signature",
                hint: "ask its publisher for a new one")
        }
    }

    private borrowing func rewrapped(
        _ entry: KeyringDocument.KeyEntry, as state: KeyState, _ today: CalendarDay
    ) throws(LockstepError) -> KeyringDocument.KeyEntry {
        var entry = entry
        let material = try unwrap(entry)
        (entry.state, entry.day, entry.wrapped) = (state, today, nil)
        if state != .destroyed { try wrap(material, into: &entry) }
        return entry
    }
}
