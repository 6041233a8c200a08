public import Lockstep

extension ServerMigrator {
    /// Gives up a version that was begun and not finished: erases its record, and leaves in the database what has run.
    /// A version that was being applied can then be applied from its first statement; one that was being undone counts
    /// as applied.
    /// - Parameters:
    ///   - version: The version.
    ///   - set: The name of its set, whose files need not be there.
    ///   - connection: A connection outside a transaction.
    /// - Returns: What was recorded.
    /// - Throws: `LockstepError.Code.notFound` if the version is not begun; `LockstepError.Code.busy` if a runner is at
    ///   work on it; the server's errors.
    @discardableResult
    public static func abandon(
        _ version: MigrationVersion, of set: String?, on connection: borrowing ServerConnection
    ) throws -> UnfinishedMigration {
        let ledger = try ServerLedger(connection)
        return try connection.transaction { connection in
            try connection.execute("SELECT pg_catalog.set_config('lock_timeout', '1s', true)")
            try ledger.lock(connection)
            let all = try ledger.progress.all(connection).map(\.unfinished)
            let found = all.filter { $0.version == version && $0.set == set ?? $0.set }
            guard let one = found.first, found.count == 1 else {
                let begun = all.map { "\($0.set) \($0.version)" }.joined(separator: ", ")
                throw LockstepError(
                    .notFound,
                    found.isEmpty ? "version \(version) is not begun" : "version \(version) is begun in several sets",
                    hint: begun.isEmpty
                        ? "no version of this database is" : "begun but not finished: \(begun)"
                )
            }
            try ledger.progress.erase(one, connection)
            return one
        }
    }
}
