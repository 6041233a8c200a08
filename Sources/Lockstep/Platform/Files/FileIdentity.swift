internal import SystemPackage

/// Identifies the file at a path, regardless of its name.
struct FileIdentity: Sendable, Equatable {
    private let device: UInt64
    private let inode: UInt64

    /// Nil if nothing exists at the path.
    init?(_ path: FilePath) {
        guard let status = try? Stat(path, followTargetSymlink: false) else { return nil }
        device = UInt64(truncatingIfNeeded: status.deviceID.rawValue)
        inode = UInt64(truncatingIfNeeded: status.inode.rawValue)
    }
}
