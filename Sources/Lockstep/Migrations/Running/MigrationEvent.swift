/// What a migration run tells while it goes on: for progress, and for tests that stop it anywhere.
public enum MigrationEvent: Sendable, Equatable {
    /// A version begins; its transaction is open.
    case began(set: String, version: MigrationVersion, isUp: Bool)
    /// A statement is about to run.
    case statement(file: String, line: Int)
    /// A rebuild of this table is about to take this step.
    case rebuilding(table: String, step: RebuildStep)
    /// A batch of a backfill is done; it is durable when the next one begins.
    /// - Parameters:
    ///   - rows: How many rows of the table are done in this run.
    ///   - total: How many there were to do when it began.
    case backfilled(table: String, rows: Int, total: Int)
    /// A repeatable migration begins; its transaction is open.
    case repeating(set: String, name: String)
    /// The checks found what else would be an error, such as lost rows, and a directive allows it; the
    /// transaction is still open.
    case tolerated(LockstepError)
    /// All statements ran and every check passed; the ledger is about to be written.
    case checked(set: String, version: MigrationVersion)
    /// The ledger is written; the commit is about to happen.
    case recorded(set: String, version: MigrationVersion)
    /// The version is durable.
    case committed(set: String, version: MigrationVersion)
    /// A repeatable migration is durable.
    case repeated(set: String, name: String)
    /// A version of several transactions has another one durable.
    case advanced(set: String, version: MigrationVersion)
}
