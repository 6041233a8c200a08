extension UnfinishedMigration {
    /// Gives the version up: erases its record, and leaves in the database what has run. A version that was being
    /// applied can then be applied from its first statement; one that was being undone counts as applied.
    ///
    /// This needs neither the file nor the code of the version, and undoes nothing. A column whose change has started
    /// keeps its state: a run that requests the same change, or `lockstep seal`, continues it.
    /// - Parameters:
    ///   - connection: A connection outside a transaction.
    ///   - timeout: The maximum wait, in whole seconds, while another connection holds the write lock.
    /// - Throws: ``LockstepError/Code/migrationMissing`` if the version is no longer recorded as unfinished in this
    ///   direction; ``LockstepError/Code/tampered`` for records that Lockstep did not write;
    ///   ``LockstepError/Code/busy``.
    public func abandon(
        on connection: borrowing Connection, timeout: Duration = .seconds(60)
    ) throws {
        let origin = ScriptOrigin("\(set) \(version) (\(name))", .init(set: set, version))
        let transaction = try MigrationTransaction.begin(origin, timeout, connection) { _ in }
        let unfinished = try Ledger.unfinished(connection)
        guard unfinished.contains(where: { $0.set == set && $0.version == version && $0.isUp == isUp }) else {
            throw LockstepError(
                .migrationMissing, "\(origin.title) is no longer begun",
                hint: "another command has finished it, or given it up", context: origin.context)
        }
        try MigrationTransaction.note(origin, connection) { connection in
            try MigrationProgress.erase(set, version, connection)
        }
        try MigrationTransaction.commit(origin, transaction)
    }
}
