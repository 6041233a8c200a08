/// An event of a safe migration.
public enum SafeMigrationEvent: Sendable, Equatable {
    /// This much of the backup is made.
    case backingUp(JobProgress)
    /// An event of the migrations.
    case migrating(MigrationEvent)
    /// Every version is committed; verification begins.
    case verifying
    /// Something has failed; the database is about to be restored.
    case restoring
}
