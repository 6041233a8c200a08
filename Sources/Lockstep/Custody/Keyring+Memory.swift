extension Keyring {
    /// Records the version of this keyring in the database, so that ``Verification`` detects an older copy of the
    /// keyring or of the database.
    ///
    /// Call it after each write of the keyring; ``DatabaseKeyRotation`` does so itself. It writes one row, and only if
    /// the database records an older version.
    /// - Returns: Whether anything was written.
    /// - Throws: ``LockstepError/Code/keyringOutdated`` if the database records a newer version: this keyring is an old
    ///   copy. ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose; any error of writing.
    @discardableResult
    public borrowing func remember(in connection: borrowing Connection) throws -> Bool {
        try remember(epoch: epoch, in: connection)
    }

    /// - Parameter epoch: The epoch that the keyring has now, or will have when the database is used.
    @discardableResult
    borrowing func remember(
        epoch: UInt64, in connection: borrowing Connection
    ) throws -> Bool {
        try requireDatabasePurpose()
        guard
            try !ringsBehind(epoch, in: connection).isEmpty
                || KeyringTable.database(connection) == nil
        else { return false }
        return try connection.with(rights: .engine) {
            try connection.write { connection in
                // Another process may have written in the meantime.
                let rings = try ringsBehind(epoch, in: connection)
                let isNew = try KeyringTable.database(connection) == nil
                _ = try KeyringTable.identify(connection)
                try KeyringTable.raise(rings, to: epoch, connection)
                return !rings.isEmpty || isNew
            }
        }
    }

    /// The rings for which the database records too low an epoch: this ring, its former rings, and, if the database
    /// does not know this ring yet, all rings that it knows.
    /// - Throws: ``LockstepError/Code/keyringOutdated`` if the database records a newer epoch.
    borrowing func ringsBehind(
        _ epoch: UInt64, in connection: borrowing Connection
    ) throws -> [[UInt8]] {
        let known = try KeyringTable.read(connection).epochs
        let own = known[document.ringID]
        if let own, own > epoch { throw KeyringFreshness.outdated(epoch, own) }
        let rings = [document.ringID] + formerRings + (own == nil ? Array(known.keys) : [])
        return rings.filter { ring in known[ring, default: 0] < epoch }
    }

    /// Whether the database knows the keyring's ring.
    borrowing func isKnown(in connection: borrowing Connection) throws -> Bool {
        try KeyringTable.read(connection).epochs[document.ringID] != nil
    }
}
