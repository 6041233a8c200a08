extension Keyring {
    /// The active database key, under which new files are made. A file that is there can have another:
    /// ``databaseKey(for:)`` determines from the file which one it is.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose.
    package borrowing func activeDatabaseKey() throws(LockstepError) -> DatabaseKey {
        let entry = try activeDatabaseKeyEntry()
        var key = try databaseKey(version: entry.version)
        key.origin = try origin(entry)
        return key
    }

    /// The database key of one version.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if the key does not exist or was destroyed.
    package borrowing func databaseKey(version: UInt32) throws(LockstepError) -> DatabaseKey {
        try requireDatabasePurpose()
        var key = try DatabaseKey(dataKey: key(.database, version: version), database: subjectID)
        for file in document.files {
            if let origin = file.origin { key.forks[file.database] = origin }
        }
        return key
    }

    /// The entry of the active database key.
    borrowing func activeDatabaseKeyEntry() throws(LockstepError) -> KeyringDocument.KeyEntry {
        try requireDatabasePurpose()
        guard let active = document.keys.first(where: { $0.state == .active }) else {
            throw KeyringDocument.malformed("it has no active database key")
        }
        return active
    }

    /// The entry of the key whose files begin with `salt`; nil if the keyring has no such key. Tries the active key
    /// first; each key takes a few microseconds.
    borrowing func databaseKey(
        makingSalt salt: [UInt8]
    ) throws(LockstepError) -> KeyringDocument.KeyEntry? {
        let active = try activeDatabaseKeyEntry()
        let others = document.keys.filter {
            $0.kind == .database && $0.state != .destroyed && $0 != active
        }
        for entry in [active] + others {
            let key = try databaseKey(version: entry.version)
            if key.salt == salt { return entry }
        }
        return nil
    }

    /// - Throws: ``LockstepError/Code/keyringMismatch``.
    borrowing func requireDatabasePurpose() throws(LockstepError) {
        guard purpose == .database else {
            throw LockstepError(
                .keyringMismatch, "a \(purpose.rawValue) keyring does not open database files",
                hint: "give the database keyring, <name>.database.keyring")
        }
    }

    // MARK: Rotation

    /// The version of the key to rotate to: the pending key of an unfinished rotation, or a new key.
    /// - Parameters:
    ///   - isFresh: Always makes a new key: anyone who knows the active key may know the pending one.
    ///   - givenUp: What becomes of the pending one then: destroyed, or compromised if a database can have it already.
    package mutating func nextDatabaseKey(
        isFresh: Bool, leaving givenUp: KeyState = .destroyed, today: CalendarDay = .today
    ) throws(LockstepError) -> UInt32 {
        let pending = document.keys.filter { $0.kind == .database && $0.state == .pending }
        if !isFresh, let last = pending.last { return last.version }
        for entry in pending {
            try setState(.database, version: entry.version, to: givenUp, today: today)
        }
        return try addKey(.database, state: .pending, today: today)
    }

    /// Whether databases can get this key.
    borrowing func isUsable(_ version: UInt32) throws(LockstepError) -> Bool {
        let state = document.keys[try index(of: .database, version)].state
        return state == .pending || state == .active
    }

    /// Activates a pending key, which retires the previously active key, unless a rotation of another database has done
    /// so. Moves the key that it replaces to `state`: retired or compromised.
    /// - Parameter replaced: The key that the file had; nil for the active key.
    /// - Returns: The replaced version.
    @discardableResult
    package mutating func promoteDatabaseKey(
        _ version: UInt32, replacing replaced: UInt32? = nil, leaving state: KeyState, today: CalendarDay = .today
    ) throws(LockstepError) -> UInt32 {
        let active = try activeDatabaseKeyEntry().version
        let old = replaced ?? active
        if active != version {
            try setState(.database, version: version, to: .active, today: today)
        }
        let isSo = document.keys.contains {
            $0.kind == .database && $0.version == old && $0.state == state
        }
        if state != .retired, !isSo {
            try setState(.database, version: old, to: state, today: today)
        }
        return old
    }
}
