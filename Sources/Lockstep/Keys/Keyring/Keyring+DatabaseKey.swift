extension Keyring {
    /// The database key in use. After an interrupted rotation the file may be under the pending one already:
    /// ``databaseKey(for:)`` tells by the file which one it is.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose.
    public borrowing func databaseKey() throws(LockstepError) -> DatabaseKey {
        let entry = try activeDatabaseKey()
        var key = try databaseKey(version: entry.version)
        key.origin = origin(entry)
        return key
    }

    /// The database key of one version.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if there is no such key or it was destroyed.
    borrowing func databaseKey(version: UInt32) throws(LockstepError) -> DatabaseKey {
        try requireDatabasePurpose()
        return try DatabaseKey(dataKey: key(.database, version: version), database: subjectID)
    }

    /// The entry of the database key in use.
    borrowing func activeDatabaseKey() throws(LockstepError) -> KeyringDocument.KeyEntry {
        try requireDatabasePurpose()
        guard let active = document.keys.first(where: { $0.state == .active }) else {
            throw KeyringDocument.malformed("it has no active database key")
        }
        return active
    }

    /// The entry of the key under which files are made that begin with `salt`; nil where none of the
    /// keyring's keys makes such files. Costs some microseconds a key, of which the active one comes first.
    borrowing func databaseKey(
        makingSalt salt: [UInt8]
    ) throws(LockstepError) -> KeyringDocument.KeyEntry? {
        let active = try activeDatabaseKey()
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
                .keyringMismatch, "a \(purpose.rawValue) keyring opens no database file",
                hint: "give the database keyring, <name>.database.keyring")
        }
    }

    // MARK: Rotation

    /// A key to rotate to: the one that is pending already, which no file was finished under, or a new one.
    /// - Parameter isFresh: Never the one that is pending: it may be known to whoever knows the active one.
    mutating func nextDatabaseKey(
        isFresh: Bool, today: CalendarDay = .today
    ) throws(LockstepError) -> UInt32 {
        let pending = document.keys.filter { $0.kind == .database && $0.state == .pending }
        if !isFresh, let last = pending.last { return last.version }
        for entry in pending {
            try setState(.database, version: entry.version, to: .destroyed, today: today)
        }
        return try addKey(.database, state: .pending, today: today)
    }

    /// Puts a pending key in use, and the one that was into another state: retired or compromised.
    /// - Returns: The version that was in use.
    @discardableResult
    mutating func promoteDatabaseKey(
        _ version: UInt32, leaving state: KeyState, today: CalendarDay = .today
    ) throws(LockstepError) -> UInt32 {
        let old = try activeDatabaseKey().version
        try setState(.database, version: version, to: .active, today: today)
        if state != .retired { try setState(.database, version: old, to: state, today: today) }
        return old
    }
}
