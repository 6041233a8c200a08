public import SystemPackage

/// The result of a safe migration.
public struct SafeMigrationReport: Sendable {
    /// The end of a run that has started.
    public enum Outcome: String, Sendable {
        /// No version was pending.
        case nothingToDo = "nothing-to-do"
        /// The database is migrated and verifies.
        case migrated
        /// A version failed and was rolled back. Nothing was committed, so that nothing had to be restored.
        case rolledBack = "rolled-back"
        /// Something failed after a commit. The database was restored from the backup to its state before the
        /// run.
        case restored
        /// Something failed after a commit, and the database could not be restored, or must not be, because
        /// others have written to it. The backup is kept.
        case notRestored = "not-restored"
    }

    /// How a run recovered from a killed one.
    public enum Recovery: String, Sendable {
        /// The killed run was restoring the database. This run has finished the restore.
        case restored
        /// The killed run was migrating or verifying. This run has continued from there.
        case continued
    }

    /// An empty report. Its time begins.
    public init() {}

    /// When the run began, and how long it took.
    public internal(set) var time = JobTime()
    /// How the run ended; nil if it was refused before it began.
    public internal(set) var outcome: Outcome?
    /// How the run recovered from a killed one; nil if there was none.
    public internal(set) var recovery: Recovery?
    /// The versions that ran, even if the database was restored afterwards, and the notices.
    public internal(set) var migration = MigrationReport()
    /// The result of verification; nil if it did not run.
    public internal(set) var verification: VerificationReport?
    /// The path of the backup from before the run; nil if there is none, or if it was removed.
    public internal(set) var backup: FilePath?
}
