/// What a safe migration tells while it goes on.
public enum SafeMigrationEvent: Sendable, Equatable {
    /// So much of the backup is made.
    case backingUp(CopyProgress)
    /// What the migrations tell.
    case migrating(MigrationEvent)
    /// Every version is committed; verification begins.
    case verifying
    /// Something has failed; the database is about to be put back.
    case restoring
}
