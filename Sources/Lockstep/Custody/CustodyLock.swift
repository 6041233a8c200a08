internal import SystemPackage

/// The lock of a job that replaces a database's file: a rotation of its key, a restore, a safe migration.
///
/// It is on `.<name>.custody` beside the database, exclusive, and held for as long as the job runs. It comes after a
/// ``UseLock`` and before a ``KeyringLock``. Programs that have the database open do not take it: SQLite's own locks show
/// them.
struct CustodyLock: ~Copyable {
    /// The suffix of the file that is beside a database while a safe migration is not finished.
    static let unfinishedMigration = ".safe-migration"

    private let lock: FileLock

    /// Waits for its turn.
    /// - Throws: ``LockstepError/Code/locked``.
    init(_ database: FilePath, _ wait: FileLockWait = .current) throws {
        lock = try wait.lock(AtomicFile.hiddenSibling("custody", of: database))
    }
}
