extension Keyring {
    /// Has the database remember which version of its keyring this is, so that ``Verification`` notices where
    /// an older copy of the keyring, or of the database, is put back.
    ///
    /// To be called whenever the keyring was written: ``DatabaseKeyRotation`` does by itself. Writes one
    /// row, and only where the database remembers an older version.
    /// - Returns: Whether anything was written.
    /// - Throws: ``LockstepError/Code/keyringOutdated`` if the database remembers a newer version: this is an
    ///   old copy. ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose; what writing
    ///   throws.
    @discardableResult
    public borrowing func remember(in connection: borrowing Connection) throws -> Bool {
        try remember(epoch: epoch, in: connection)
    }

    /// - Parameter epoch: The one that the keyring has, or will have by the time that the database is used.
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
                // Another process may have been faster.
                let rings = try ringsBehind(epoch, in: connection)
                let isNew = try KeyringTable.database(connection) == nil
                _ = try KeyringTable.identify(connection)
                try KeyringTable.raise(rings, to: epoch, connection)
                return !rings.isEmpty || isNew
            }
        }
    }

    /// The rings of which the database has to remember more: this one, those that it had before, and where the
    /// database does not know it yet all that it knows.
    /// - Throws: ``LockstepError/Code/keyringOutdated`` if the database remembers a newer epoch.
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
