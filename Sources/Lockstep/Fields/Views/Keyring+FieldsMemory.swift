extension Keyring {
    /// Records the version of this fields keyring in a database.
    /// - Throws: ``LockstepError/Code/keyringOutdated`` if the database records a newer version; any error of writing.
    borrowing func rememberFields(in connection: borrowing Connection) throws {
        let isRestored = try KeyringTable.read(connection).restored != nil
        guard try !fieldsRingsBehind(connection).isEmpty || isRestored else { return }
        try connection.with(rights: .engine) {
            try connection.write { connection in
                // Another process may have written in the meantime.
                let rings = try fieldsRingsBehind(connection)
                try EpochCode.record(rings, epoch, fieldKeys(), connection)
                // The keyring knows this state, so that a restore needs no confirmation any more.
                try KeyringTable.set(restored: nil, connection)
            }
        }
    }

    /// The rings for which the database records too low an epoch, or none that is genuine: this one and those that it
    /// replaced, which the database need not have known.
    private borrowing func fieldsRingsBehind(
        _ connection: borrowing Connection
    ) throws -> [[UInt8]] {
        let known = try KeyringTable.read(connection).fieldsEpochs
        if let own = known[document.ringID], own > epoch {
            throw KeyringFreshness.outdated(epoch, own, "fields keyring")
        }
        let isNew = known[document.ringID] == nil
        let rings = [document.ringID] + (isNew ? document.formerRings : formerRings)
        return try EpochCode.behind(rings, epoch, fieldKeys(), connection)
    }
}
