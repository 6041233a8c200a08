/// A restore that no fields keyring has confirmed.
///
/// A backup can be older than what a fields keyring knows of the database, and even from before anything was sealed.
/// The database records that it was restored, for the words of the error alone: anyone who can write the database can
/// record that too. The keyrings decide what opens, and a person what they accept.
enum PendingRestore {
    private static let codes: Set<LockstepError.Code> = [.databaseOutdated, .registryOlder, .registryMissing]

    /// Runs checks of a file against a fields keyring. An error that a restore can explain names it.
    static func explaining(
        _ content: KeyringTable.Content, _ keys: FieldKeys, _ connection: borrowing Connection,
        _ check: () throws -> Void
    ) throws {
        do {
            try check()
        } catch let error as LockstepError where codes.contains(error.code) {
            guard let restored = content.restored,
                let record = keys.memory.record(of: content.database)
            else { throw error }
            let changes =
                try EngineTables.exists(EngineTables.datasets, connection)
                ? RegistryTables.changes(of: keys.dataset, connection) : 0
            let words = words(changes, record, SealedTrust.title(keys))
            throw LockstepError(
                error.code,
                "\(connection.path) was restored on \(CalendarDay(secondsSinceEpoch: restored)) " + "from \(words)",
                advice: """
                    if you restored it, accept it with \(.acceptSealed); otherwise somebody put an older state back: \
                    restore the newest backup
                    """,
                context: .file(connection.path))
        }
    }

    private static func words(
        _ changes: UInt64, _ record: SealedRecord, _ title: String
    ) -> String {
        guard record.changes != changes else {
            return "an older backup; the fields keyring of the dataset \(title) has seen a newer " + "state"
        }
        guard changes > 0 else {
            return "a backup in which nothing of the dataset \(title) was sealed; its fields "
                + "keyring has seen registry change \(record.changes)"
        }
        return "a backup of registry change \(changes); the fields keyring of the dataset \(title) "
            + "has seen \(record.changes)"
    }
}
