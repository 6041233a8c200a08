internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A file's identity, size and time of its last change, to see whether someone wrote to it in between.
struct FileState: Sendable, Equatable {
    let identity: FileIdentity?
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// The state of no file if there is none at the path.
    init(_ path: FilePath) {
        identity = FileIdentity(path)
        guard let status = try? Stat(path, followTargetSymlink: false) else {
            (size, seconds, nanoseconds) = (-1, 0, 0)
            return
        }
        size = Int64(status.size)
        #if canImport(Darwin)
        let time = status.rawValue.st_mtimespec
        #else
        let time = status.rawValue.st_mtim
        #endif
        (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
    }

    /// The day of the last change; nil for no file.
    var day: CalendarDay? { identity == nil ? nil : CalendarDay(secondsSinceEpoch: Int64(seconds)) }
}

/// Identifies the file at a path, regardless of its name.
struct FileIdentity: Sendable, Equatable {
    private let device: UInt64
    private let inode: UInt64

    /// Nil if nothing exists at the path.
    /// - Parameter isFollowing: Whether the target of a link is meant, not the link.
    init?(_ path: FilePath, isFollowing: Bool = false) {
        guard let status = try? Stat(path, followTargetSymlink: isFollowing) else { return nil }
        device = UInt64(truncatingIfNeeded: status.deviceID.rawValue)
        inode = UInt64(truncatingIfNeeded: status.inode.rawValue)
    }
}
