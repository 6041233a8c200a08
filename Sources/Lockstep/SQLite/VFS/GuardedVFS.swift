internal import CSQLCipher
internal import Synchronization

/// SQLite's operating system layer, with a ``CheckpointGuard`` and a ``LogRemovalGuard`` on each database file.
///
/// It wraps the VFS that is the process's default when a database is opened, and passes every call on to it.
/// Reads and writes of a file cost nothing extra: they go directly to the functions below. Only locks pass a
/// check, which takes some nanoseconds.
@safe
enum GuardedVFS {
    /// The name under which SQLite knows the guarded form of a VFS.
    /// - Parameter base: The process's default VFS, except in tests.
    /// - Throws: ``LockstepError/Code/libraryUnusable`` if it cannot be installed. Without it, no file is
    ///   opened.
    static func name(
        over base: UnsafeMutablePointer<sqlite3_vfs>? = unsafe sqlite3_vfs_find(nil)
    ) throws(LockstepError) -> String {
        guard let base = unsafe base, let plain = unsafe base.pointee.zName else {
            throw LinkGuard.unusable("this SQLite has no access to files")
        }
        let name = unsafe "lockstep-\(String(cString: plain))"
        let code = installed.withLock { installed in
            let address = UInt(bitPattern: base)
            if installed.contains(address) { return SQLITE_OK }
            let code = unsafe install(over: base, name)
            if code == SQLITE_OK { installed.insert(address) }
            return code
        }
        guard code == SQLITE_OK else {
            throw LinkGuard.unusable("the guards of database files cannot be installed (\(code))")
        }
        return name
    }

    /// The addresses of the VFSs that have a guarded form.
    private static let installed = Mutex<Set<UInt>>([])

    typealias VFS = UnsafeMutablePointer<sqlite3_vfs>

    /// Both the structure and its name live until the process ends: open files point to them.
    private static func install(over base: VFS, _ name: String) -> Int32 {
        guard unsafe base.pointee.szOsFile <= GuardedFile.maximum else { return SQLITE_TOOBIG }
        let vfs = VFS.allocate(capacity: 1)
        unsafe vfs.initialize(to: base.pointee)
        // The functions that replace system calls exist for SQLite's own tests.
        unsafe vfs.pointee.iVersion = min(base.pointee.iVersion, 2)
        unsafe vfs.pointee.szOsFile = GuardedFile.size
        unsafe vfs.pointee.pNext = nil
        unsafe vfs.pointee.pAppData = UnsafeMutableRawPointer(base)
        let bytes = name.utf8CString
        let kept = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        for (place, byte) in bytes.enumerated() { unsafe (kept + place).initialize(to: byte) }
        unsafe vfs.pointee.zName = UnsafePointer(kept)
        unsafe passOn(vfs)
        return unsafe sqlite3_vfs_register(vfs, 0)
    }

    /// Passes each call on to the VFS below, with that VFS as its argument.
    private static func passOn(_ vfs: VFS) {
        unsafe vfs.pointee.xOpen = { vfs, name, file, flags, answer in
            guard let base = unsafe GuardedVFS.below(vfs), let file = unsafe file else {
                return SQLITE_ERROR
            }
            // Somebody can have put a link there since the database was opened.
            if flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL) != 0, unsafe !LinkedFiles.isUsable(name) {
                unsafe file.pointee.pMethods = nil
                return SQLITE_CANTOPEN
            }
            let code = unsafe base.pointee.xOpen(base, name, file, flags, answer)
            guard code == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0 else { return code }
            guard unsafe GuardedFile.install(on: file) else {
                _ = unsafe file.pointee.pMethods?.pointee.xClose(file)
                unsafe file.pointee.pMethods = nil
                return SQLITE_CANTOPEN
            }
            return code
        }
        unsafe vfs.pointee.xDelete = { vfs, name, syncsFolder in
            guard let base = unsafe GuardedVFS.below(vfs) else { return SQLITE_ERROR }
            return unsafe base.pointee.xDelete(base, name, syncsFolder)
        }
        unsafe vfs.pointee.xAccess = { vfs, name, flags, answer in
            guard let base = unsafe GuardedVFS.below(vfs) else { return SQLITE_ERROR }
            return unsafe base.pointee.xAccess(base, name, flags, answer)
        }
        unsafe vfs.pointee.xFullPathname = { vfs, name, count, answer in
            guard let base = unsafe GuardedVFS.below(vfs) else { return SQLITE_ERROR }
            return unsafe base.pointee.xFullPathname(base, name, count, answer)
        }
        unsafe vfs.pointee.xRandomness = { vfs, count, bytes in
            guard let base = unsafe GuardedVFS.below(vfs) else { return 0 }
            return unsafe base.pointee.xRandomness(base, count, bytes)
        }
        unsafe vfs.pointee.xSleep = { vfs, microseconds in
            guard let base = unsafe GuardedVFS.below(vfs) else { return 0 }
            return unsafe base.pointee.xSleep(base, microseconds)
        }
        unsafe vfs.pointee.xCurrentTime = { vfs, answer in
            guard let base = unsafe GuardedVFS.below(vfs) else { return SQLITE_ERROR }
            return unsafe base.pointee.xCurrentTime(base, answer)
        }
        unsafe vfs.pointee.xGetLastError = { vfs, count, answer in
            guard let base = unsafe GuardedVFS.below(vfs) else { return SQLITE_ERROR }
            return unsafe base.pointee.xGetLastError(base, count, answer)
        }
        guard unsafe vfs.pointee.xCurrentTimeInt64 != nil else { return }
        unsafe vfs.pointee.xCurrentTimeInt64 = { vfs, answer in
            guard let base = unsafe GuardedVFS.below(vfs),
                let now = unsafe base.pointee.xCurrentTimeInt64
            else { return SQLITE_ERROR }
            return unsafe now(base, answer)
        }
    }

    private static func below(_ vfs: VFS?) -> VFS? {
        unsafe vfs?.pointee.pAppData?.assumingMemoryBound(to: sqlite3_vfs.self)
    }
}

/// Returns the name of the guarded form of a VFS, an `sqlite3_vfs` that lives on: for the tests' programs.
@unsafe
package func guardCheckpoints(
    over base: UnsafeMutableRawPointer
) throws(LockstepError) -> String {
    unsafe try GuardedVFS.name(over: base.assumingMemoryBound(to: sqlite3_vfs.self))
}
