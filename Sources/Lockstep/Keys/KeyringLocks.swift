internal import SystemPackage

// The locks of a keyring
// ======================
//
//   .<name>.lock    exclusive while the keyring's file is read, changed and replaced: milliseconds
//   .lock           shared meanwhile: programs of before 2026-11 lock the whole folder with it
//
// Both lie in the keyring's folder, where `<name>` is the name of the keyring's file. They are always taken in this order.
// So two programs that change different keyrings do not wait for each other, and an earlier one is kept out, or keeps them
// out, as ever.

/// The lock of whoever changes a keyring's file.
struct KeyringLock: ~Copyable {
    private let own: FileLock
    private let folder: FileLock

    /// Waits for its turn as ``FileLockWait`` says.
    /// - Parameter keyring: The keyring's file.
    /// - Throws: ``LockstepError/Code/locked``.
    init(_ keyring: FilePath) throws {
        let parent = AtomicFile.parent(of: keyring)
        let name = keyring.lastComponent?.string ?? ""
        own = try FileLockWait.current.lock(parent.appending(".\(name).lock"))
        folder = try FileLockWait.current.lock(parent.appending(".lock"), .shared)
    }
}
