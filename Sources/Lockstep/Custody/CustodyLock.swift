package import SystemPackage

/// The lock of a job that replaces a database's file: a rotation of its key, a restore, a safe migration.
///
/// It is on `.<name>.custody` beside the database, exclusive, and held for as long as the job runs. It comes after a
/// ``UseLock`` and before a ``KeyringLock``. Programs that have the database open do not take it: SQLite's own locks
/// show them.
struct CustodyLock: ~Copyable {
    /// The suffix of the file that is beside a database while a safe migration is not finished.
    static let unfinishedMigration = ".safe-migration"

    private let lock: FileLock

    /// Waits for its turn.
    /// - Throws: ``LockstepError/Code/locked``.
    init(_ database: FilePath, _ wait: FileLockWait = .current) throws {
        lock = try wait.lock(
            AtomicFile.hiddenSibling("custody", of: database), as: .custody)
    }
}

/// Making a database and its keyring together.
package enum DatabaseCreation {
    /// Runs a job that makes a keyring and then a database under it. Another such job for the same database waits: it
    /// could take over the keyring as one that was left, and a job that fails removes what it has made.
    /// - Parameter keyring: The keyring's file, whose folder is made if there is none.
    /// - Throws: ``LockstepError/Code/locked``; any error from `body`.
    package static func run<Result>(
        of database: FilePath, under keyring: KeyringFile, _ body: () throws -> Result
    ) throws -> Result {
        guard FileAccess.exists(AtomicFile.parent(of: database)) else { return try body() }
        try AtomicFile.createFolder(AtomicFile.parent(of: keyring.path))
        let use = try UseLock(keyring.path)
        let lock = try CustodyLock(database)
        defer {
            _ = use
            _ = lock
        }
        return try body()
    }
}
