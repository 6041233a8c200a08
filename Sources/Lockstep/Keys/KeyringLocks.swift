internal import SystemPackage

// The locks of a keyring
// ======================
//
//   .<name>.use     shared by every job that makes a database, puts one in place or converts cells, for as long as it
//                   runs; exclusive for a job that destroys a key, moves the keyring, or signs what nobody may convert
//                   meanwhile
//   .<name>.lock    exclusive while the keyring's file is read, changed and replaced: milliseconds
//   .lock           shared meanwhile: programs of before 2026-11 lock the whole folder with it
//
// All lie in the keyring's folder, where `<name>` is the name of the keyring's file. Between the first two a job takes
// the database's own lock; see CustodyLock.swift. They are always taken in this order, and nobody waits for a lock of
// SQLite while holding the last two: LockOrder notices who does. So two programs that change different keyrings do not
// wait for each other, and an earlier one is kept out, or keeps them out, as ever.

/// The lock of a program that changes a keyring's file.
struct KeyringLock: ~Copyable {
    private let own: FileLock
    private let folder: FileLock

    /// Waits for its turn as ``FileLockWait`` says.
    /// - Parameter keyring: The keyring's file.
    /// - Throws: ``LockstepError/Code/locked``.
    init(_ keyring: FilePath) throws {
        let wait = FileLockWait.current
        let own = try wait.lock(
            AtomicFile.hiddenSibling("lock", of: keyring), as: .keyring)
        let folder = try wait.lock(AtomicFile.parent(of: keyring).appending(".lock"), .shared, as: .keyring)
        self.own = own
        self.folder = folder
    }
}

/// The lock of a job that needs the keys of a keyring until it ends.
struct UseLock: ~Copyable {
    private let lock: FileLock?

    /// Waits for its turn as ``FileLockWait`` says. Where the folder is gone or cannot be written to, nobody can
    /// destroy a key of the keyring either.
    /// - Parameters:
    ///   - keyring: The keyring's file.
    ///   - kind: Exclusive for a job beside which nobody may use the keys.
    ///   - isOptional: Whether it can do without the lock where that cannot be made; nil for a shared one alone.
    /// - Throws: ``LockstepError/Code/locked``.
    init(_ keyring: FilePath, _ kind: FileLock.Kind = .shared, optional isOptional: Bool? = nil) throws {
        lock = try Self.take(AtomicFile.hiddenSibling("use", of: keyring), kind, isOptional ?? (kind == .shared))
    }

    private static func take(_ path: FilePath, _ kind: FileLock.Kind, _ isOptional: Bool) throws -> FileLock? {
        do {
            return try FileLockWait.current.lock(path, kind, as: .use)
        } catch let error as LockstepError
            where isOptional && [.accessDenied, .notFound].contains(error.code)
        {
            return nil
        }
    }
}
