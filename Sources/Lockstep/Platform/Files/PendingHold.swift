package import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Distinguishes files that are being made beside their targets from those that a kill left there.
///
/// A program that makes one holds a shared lock on its folder until the file has its name or is gone. So the holder of
/// the exclusive lock knows that nobody makes one in that folder, and can remove what is left of them. The lock is on a
/// descriptor of the folder, and ends with the process: one on a database that is being made could drop SQLite's own,
/// and a lock's file beside it would be one more file that a kill leaves. Where folders cannot be locked, as on some
/// network shares, nothing is removed.
struct PendingHold: ~Copyable {
    private let folder: FileDescriptor?

    /// Removes what is left of earlier files of this target, and keeps others from removing the next one.
    init(for target: FilePath) throws {
        let hold = Self.removingLeftovers(of: target)
        // Someone else who removes leftovers is done in an instant. If the lock cannot be had, the worst is that
        // someone takes the file for a leftover: then making it fails.
        for _ in 0..<Self.attempts {
            guard let hold, flock(hold.rawValue, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { break }
            Clock.pause(milliseconds: 20)
        }
        folder = hold
    }

    deinit { try? folder?.close() }

    private static let attempts = 50

    /// Removes the unfinished files of a target that nobody makes any more; does nothing if someone makes a file in
    /// that folder, or if they cannot be removed.
    /// - Returns: A descriptor of the folder, which can have the exclusive lock; nil if it cannot be opened.
    @discardableResult
    private static func removingLeftovers(of target: FilePath) -> FileDescriptor? {
        let path = AtomicFile.parent(of: target)
        guard
            let folder = try? FileDescriptor.open(
                path, .readOnly, options: [.closeOnExec, .directory])
        else { return nil }
        guard let name = target.lastComponent?.string,
            flock(folder.rawValue, LOCK_EX | LOCK_NB) == 0
        else { return folder }
        let sides = ["-wal", "-shm", "-journal"]
        let found = try? Folder.list(path, hidden: true) { file in
            let side = sides.first { file.ends(with: $0) } ?? ""
            return AtomicFile.isLeftover(file.rest(before: side).map(String.init) ?? file, of: name)
        }
        for file in found?.files ?? [] { AtomicFile.remove(path.appending(file)) }
        return folder
    }

    /// Removes what is left of files of this target that a kill interrupted.
    static func removeLeftovers(of target: FilePath) {
        try? removingLeftovers(of: target)?.close()
    }
}

/// The unfinished copies of a database that a kill left beside it.
package enum PendingCopies {
    /// Removes those that nobody makes any more.
    package static func removeAbandoned(of database: FilePath) {
        PendingHold.removeLeftovers(of: database)
    }
}
