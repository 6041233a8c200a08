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
        guard try !ringsBehind(epoch, in: connection).isEmpty else { return false }
        return try connection.with(rights: .engine) {
            try connection.write { connection in
                // Another process may have been faster.
                let rings = try ringsBehind(epoch, in: connection)
                try RememberedEpochs.raise(rings, to: epoch, connection)
                return !rings.isEmpty
            }
        }
    }

    /// The rings of which the database has to remember more: this one, those that it had before, and where the
    /// database does not know it yet all that it knows.
    /// - Throws: ``LockstepError/Code/keyringOutdated`` if the database remembers a newer epoch.
    borrowing func ringsBehind(
        _ epoch: UInt64, in connection: borrowing Connection
    ) throws -> [[UInt8]] {
        let known = try RememberedEpochs.read(connection)
        let own = known[document.ringID]
        if let own, own > epoch { throw Self.outdated(epoch, own) }
        let rings = [document.ringID] + formerRings + (own == nil ? Array(known.keys) : [])
        return rings.filter { ring in known[ring, default: 0] < epoch }
    }

    /// Whether the database knows the keyring's ring.
    borrowing func isKnown(in connection: borrowing Connection) throws -> Bool {
        try RememberedEpochs.read(connection)[document.ringID] != nil
    }

    private static func outdated(_ epoch: UInt64, _ least: UInt64) -> LockstepError {
        LockstepError(
            .keyringOutdated,
            "the keyring is older than the database: its epoch is \(epoch), and the database has seen "
                + "\(least)",
            hint: "put the newest copy of the keyring back; if this is the newest, "
                + "`lockstep keys rotate-ring` makes a new ring of it")
    }
}
