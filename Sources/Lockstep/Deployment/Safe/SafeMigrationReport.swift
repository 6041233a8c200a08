public import SystemPackage

/// What a safe migration has come to.
public struct SafeMigrationReport: Sendable {
    /// How the run ended, once it had begun.
    public enum Outcome: String, Sendable {
        /// No version was due.
        case nothingToDo = "nothing-to-do"
        /// The database is migrated and verifies.
        case migrated
        /// A version failed and was rolled back. Nothing had been committed: the file never needed restoring.
        case rolledBack = "rolled-back"
        /// Something failed after a commit: the database is as it was before the run, out of the backup.
        case restored
        /// The same, but it could not be put back, or must not be: others have written to it. The backup
        /// stays.
        case notRestored = "not-restored"
    }

    /// What was done for a run that had been killed.
    public enum Recovery: String, Sendable {
        /// It had been killed while it put the database back: that is finished.
        case restored
        /// It had been killed while it migrated or verified: this run has gone on from there.
        case continued
    }

    /// A report of nothing yet.
    public init() {}

    /// How the run ended; nil if it was refused before anything was begun.
    public internal(set) var outcome: Outcome?
    /// What was done for a run that had been killed; nil if none was.
    public internal(set) var recovery: Recovery?
    /// The versions that were run, also where they were put back afterwards, and what was noticed.
    public internal(set) var migration = MigrationReport()
    /// What verification said; nil if it did not come to that.
    public internal(set) var verification: VerificationReport?
    /// Where the backup from before the run stands; nil if there is none, or none any more.
    public internal(set) var backup: FilePath?
}
