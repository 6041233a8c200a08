internal import CSQLCipher
internal import Synchronization

/// A database file of the guarded VFS: which of its calls go to a guard, and the guards' state for it.
enum GuardedFile {
    fileprivate static let offSwitch = Atomic<Bool>(false)
    /// For tests that show the effects without the guards.
    static var isOff: Bool { offSwitch.load(ordering: .relaxed) }

    /// Maximum bytes for a file of the VFS below: SQLite's own takes some 120.
    static let maximum: Int32 = 1024
    /// Bytes of a guarded file.
    static var size: Int32 { maximum + Int32(MemoryLayout<State>.stride) }

    /// The guards' state for a file, after the bytes of the VFS below.
    @safe
    struct State {
        /// The functions of the VFS below.
        let base: UnsafePointer<sqlite3_io_methods>
        /// See ``CheckpointGuard``.
        var log = CheckpointGuard.Log.unwatched
        /// See ``LogRemovalGuard``.
        var keepsExclusiveLock = false
    }

    /// Routes the calls of a newly opened database file through the guards.
    /// - Returns: False if the functions for that are not available.
    static func install(on file: UnsafeMutablePointer<sqlite3_file>) -> Bool {
        guard let base = unsafe file.pointee.pMethods else { return false }
        // Without shared memory there is no log that two processes could share.
        guard unsafe base.pointee.iVersion >= 2, unsafe base.pointee.xShmLock != nil else {
            return true
        }
        guard let methods = unsafe guarded(base) else { return false }
        unsafe state(of: file).initialize(to: State(base: base))
        unsafe file.pointee.pMethods = methods
        return true
    }

    /// The state of a guarded file.
    static func state(
        of file: UnsafeMutablePointer<sqlite3_file>
    ) -> UnsafeMutablePointer<State> {
        unsafe (UnsafeMutableRawPointer(file) + Int(maximum)).assumingMemoryBound(to: State.self)
    }

    /// By the address of the functions below; there is one table per kind of file system.
    private static let tables = Mutex<[UInt: UInt]>([:])

    /// The functions below, with some of them replaced. They live until the process ends.
    private static func guarded(
        _ base: UnsafePointer<sqlite3_io_methods>
    ) -> UnsafePointer<sqlite3_io_methods>? {
        let address = tables.withLock { tables in
            let place = UInt(bitPattern: base)
            if let known = tables[place] { return known }
            let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            unsafe methods.initialize(to: base.pointee)
            unsafe methods.pointee.xShmLock = CheckpointGuard.lock
            unsafe methods.pointee.xShmUnmap = LogRemovalGuard.unmap
            unsafe methods.pointee.xUnlock = LogRemovalGuard.unlock
            let known = UInt(bitPattern: methods)
            tables[place] = known
            return known
        }
        return unsafe UnsafePointer(bitPattern: address)
    }
}

/// Shows what happens without the guards: for the tests' programs.
package func turnFileGuardsOff() { GuardedFile.offSwitch.store(true, ordering: .relaxed) }
