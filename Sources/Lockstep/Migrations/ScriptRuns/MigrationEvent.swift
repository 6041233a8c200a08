/// An event of a migration run, from which its progress is made, and at which tests stop it.
enum MigrationEvent: Sendable, Equatable {
    /// This many versions are about to run.
    case planned(versions: Int)
    /// Another connection holds the write lock, and the migration that `file` names waits for it. No transaction is
    /// open.
    case waiting(file: String)
    /// A version begins; its transaction is open.
    case began(set: String, version: MigrationVersion, isUp: Bool)
    /// A statement is about to run.
    case statement(file: String, line: Int)
    /// A rebuild of this table is about to run this step.
    case rebuilding(table: String, step: RebuildStep)
    /// A batch of a backfill is done; it is durable when the next batch begins.
    /// - Parameters:
    ///   - rows: The number of rows done in this run.
    ///   - total: The number of rows to do at the start.
    case backfilled(table: String, rows: Int, total: Int)
    /// A repeatable migration begins; its transaction is open.
    case repeating(set: String, name: String)
    /// A check found an error, such as lost rows, that a directive allows; the transaction is still open.
    case tolerated(LockstepError)
    /// What a transaction has done to each table; it is still open. Comes only if it is asked for.
    case compared([TableEffects])
    /// All statements ran and every check passed; the ledger is about to be written.
    case checked(set: String, version: MigrationVersion)
    /// The ledger is written; the commit is about to happen.
    case recorded(set: String, version: MigrationVersion)
    /// The version is durable.
    case committed(set: String, version: MigrationVersion)
    /// A repeatable migration is durable.
    case repeated(set: String, name: String)
    /// Another transaction of a version with several transactions is durable.
    case advanced(set: String, version: MigrationVersion)
}
