internal import SystemPackage

/// Whether a disk has room for what is about to be written.
enum DiskSpace {
    /// What a copy of so many bytes takes: a sixteenth and 1 MiB more, for others who write there meanwhile.
    static func needed(forCopyOf bytes: Int) -> Int { bytes + bytes / 16 + 1024 * 1024 }

    /// Whether what is written in the one folder takes space from the other.
    static func isShared(_ one: FilePath, _ other: FilePath) throws -> Bool {
        let first = try translatingErrno("look at", one) { try Stat(one) }
        let second = try translatingErrno("look at", other) { try Stat(other) }
        return first.deviceID.rawValue == second.deviceID.rawValue
    }

    /// Goes on only where the disk of `folder` has so many bytes left, or does not tell.
    /// - Parameters:
    ///   - purpose: What needs them, for the error.
    ///   - freeSpace: Asks the disk; tests have their own disks.
    /// - Throws: ``LockstepError/Code/full``.
    static func require(
        _ bytes: Int, for purpose: String, in folder: FilePath,
        _ freeSpace: (FilePath) throws -> Int?
    ) throws {
        guard let free = try freeSpace(folder), free < bytes else { return }
        throw LockstepError(
            .full, "\(purpose) needs \(bytes) bytes, and \(free) are free",
            hint: "free some space on the disk and run it again")
    }
}
