import CSQLCipher
import Glibc
import Lockstep
import Synchronization
import TapStart

// Puts Lockstep's layers under SQLite's own test program, which loads this library through LD_PRELOAD:
//
//   LOCKSTEP_TAP       vfs, provider, or both separated by a comma
//   LOCKSTEP_TAP_LOG   a file that gets a line at the end: the number of files opened under the checkpoint guard
//
// The library uses the program's own sqlite3_* functions, if the program exports them.

/// Runs when the library is loaded.
@c(lockstep_tap_install)
public func installTap() {
    lockstep_tap_keep()
    let wanted = environment("LOCKSTEP_TAP")?.split(separator: ",") ?? []
    guard !wanted.isEmpty else { return }
    require(sqlite3_initialize() == SQLITE_OK, "SQLite does not begin")
    do {
        if wanted.contains("vfs") { try TappedVFS.install() }
        if wanted.contains("provider"), let refusal = try useLockstepsProvider() {
            require(false, "the provider stays away: \(refusal)")
        }
    } catch {
        require(false, "\(error)")
    }
    // The program configures SQLite itself before it initializes it again.
    require(sqlite3_shutdown() == SQLITE_OK, "SQLite does not end")
    atexit { TappedVFS.log() }
}

private func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}

/// A test program that continued without the layers would compare stock with stock.
private func require(_ condition: Bool, _ what: @autoclosure () -> String) {
    guard !condition else { return }
    write("lockstep tap: \(what())\n", to: STDERR_FILENO)
    _exit(70)
}

private func write(_ text: String, to file: Int32) {
    var text = text
    text.withUTF8 { bytes in _ = Glibc.write(file, bytes.baseAddress, bytes.count) }
}

/// Replaces the VFS "unix" with Lockstep's guarded form, so that everything that opens or wraps it gets that.
private enum TappedVFS {
    private typealias VFS = UnsafeMutablePointer<sqlite3_vfs>

    /// Written once, before the program starts.
    nonisolated(unsafe) private static var guarded: VFS?
    private static let opened = Atomic<Int>(0)

    static func install() throws {
        guard let unix = sqlite3_vfs_find("unix") else { return require(false, "no unix") }
        let below = VFS.allocate(capacity: 1)
        below.initialize(to: unix.pointee)
        let name = try guardCheckpoints(over: UnsafeMutableRawPointer(below))
        guard let found = sqlite3_vfs_find(name) else { return require(false, "no \(name)") }
        guarded = found
        unix.pointee.szOsFile = found.pointee.szOsFile
        unix.pointee.xOpen = { _, name, file, flags, answer in
            guard let vfs = TappedVFS.guarded else { return SQLITE_ERROR }
            TappedVFS.opened.add(1, ordering: .relaxed)
            return vfs.pointee.xOpen(vfs, name, file, flags, answer)
        }
        unix.pointee.xDelete = { _, name, syncs in
            guard let vfs = TappedVFS.guarded else { return SQLITE_ERROR }
            return vfs.pointee.xDelete(vfs, name, syncs)
        }
        unix.pointee.xAccess = { _, name, flags, answer in
            guard let vfs = TappedVFS.guarded else { return SQLITE_ERROR }
            return vfs.pointee.xAccess(vfs, name, flags, answer)
        }
        unix.pointee.xFullPathname = { _, name, count, answer in
            guard let vfs = TappedVFS.guarded else { return SQLITE_ERROR }
            return vfs.pointee.xFullPathname(vfs, name, count, answer)
        }
        unix.pointee.xRandomness = { _, count, bytes in
            guard let vfs = TappedVFS.guarded else { return 0 }
            return vfs.pointee.xRandomness(vfs, count, bytes)
        }
        unix.pointee.xSleep = { _, microseconds in
            guard let vfs = TappedVFS.guarded else { return 0 }
            return vfs.pointee.xSleep(vfs, microseconds)
        }
        unix.pointee.xGetLastError = { _, count, answer in
            guard let vfs = TappedVFS.guarded else { return SQLITE_ERROR }
            return vfs.pointee.xGetLastError(vfs, count, answer)
        }
        unix.pointee.xCurrentTimeInt64 = { _, answer in
            guard let vfs = TappedVFS.guarded else { return SQLITE_ERROR }
            return vfs.pointee.xCurrentTimeInt64(vfs, answer)
        }
    }

    static func log() {
        guard let path = environment("LOCKSTEP_TAP_LOG") else { return }
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard file >= 0 else { return }
        write("\(opened.load(ordering: .relaxed)) files\n", to: file)
        close(file)
    }
}
