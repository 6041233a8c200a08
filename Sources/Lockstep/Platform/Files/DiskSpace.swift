internal import SystemPackage

/// Checks whether a disk has enough space for a write.
enum DiskSpace {
    /// The space required for a copy of this many bytes: a sixteenth and 1 MiB more, as a reserve for other writers.
    static func needed(forCopyOf bytes: Int) -> Int { bytes + bytes / 16 + 1024 * 1024 }

    /// Whether both folders are on the same disk.
    static func isShared(_ one: FilePath, _ other: FilePath) throws -> Bool {
        let first = try translatingErrno("look at", one) { try Stat(one) }
        let second = try translatingErrno("look at", other) { try Stat(other) }
        return first.deviceID.rawValue == second.deviceID.rawValue
    }

    /// Requires that the disk of `folder` has this many free bytes, or does not report its free space.
    /// - Parameters:
    ///   - purpose: What needs the space, for the error.
    ///   - freeSpace: Returns the free space; tests replace it.
    /// - Throws: ``LockstepError/Code/full``.
    static func require(
        _ bytes: Int, for purpose: String, in folder: FilePath,
        _ freeSpace: (FilePath) throws -> Int?
    ) throws {
        guard let free = try freeSpace(folder), free < bytes else { return }
        throw LockstepError(
            .full, "\(purpose) needs \(bytes) bytes, but only \(free) are free",
            hint: "free some space on the disk and run it again", context: .file(folder))
    }
}
