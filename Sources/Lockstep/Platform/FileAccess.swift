package import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Opening and reading files that an attacker may have prepared.
package enum FileAccess {
    /// What the caller is about to trust a file with.
    package enum Sensitivity {
        /// Anyone may read it.
        case ordinary
        /// It holds or guards secrets: it must belong to us and be closed to group and others.
        case secret
    }

    /// Opens an existing regular file for reading, following no symbolic link in its last component.
    ///
    /// The checks run on the open descriptor, so nobody can exchange the file in between.
    package static func open(_ path: FilePath, _ sensitivity: Sensitivity) throws -> FileDescriptor
    {
        // Non-blocking: a named pipe in the file's place must not hang the caller.
        let file = try translatingErrno("open", path) {
            try FileDescriptor.open(
                path, .readOnly, options: [.noFollow, .closeOnExec, .nonBlocking])
        }
        do {
            try check(file, path, sensitivity)
            return file
        } catch {
            try? file.close()
            throw error
        }
    }

    /// Reads a whole file of at most `limit` bytes.
    static func read(
        _ path: FilePath, limit: Int, _ sensitivity: Sensitivity = .ordinary
    ) throws -> [UInt8] {
        let file = try open(path, sensitivity)
        defer { try? file.close() }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = try translatingErrno("read", path) {
                unsafe try chunk.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
            }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            if bytes.count > limit { throw tooLarge(path, limit) }
        }
    }

    /// Whether anything, even a dangling link, stands at `path`.
    static func exists(_ path: FilePath) -> Bool {
        (try? Stat(path, followTargetSymlink: false)) != nil
    }

    /// The size in bytes of the regular file at `path`.
    static func size(_ path: FilePath) throws -> Int {
        let status = try translatingErrno("look at", path) { try Stat(path) }
        return Int(status.size)
    }

    /// The error for a file that is larger than `limit` bytes.
    static func tooLarge(_ path: FilePath, _ limit: Int) -> LockstepError {
        LockstepError(
            .tooLarge, "\(path) is larger than the \(limit) bytes its format allows",
            hint: "check that this is the file you mean")
    }

    private static func check(
        _ file: FileDescriptor, _ path: FilePath, _ sensitivity: Sensitivity
    ) throws {
        let status = try translatingErrno("look at", path) { try file.stat() }
        switch status.type {
        case .regular: break
        case .directory: throw LockstepError.system(.isDirectory, "open", path)
        default:
            throw LockstepError(
                .notAFile, "\(path) is not a regular file",
                hint: "devices, sockets and pipes are refused here")
        }
        guard sensitivity == .secret else { return }
        guard status.userID.rawValue == geteuid() else {
            throw LockstepError(
                .permissionsTooOpen, "\(path) belongs to another user",
                hint: "make it yours: chown \(geteuid()) \(path)")
        }
        let shared: FilePermissions = [.groupReadWriteExecute, .otherReadWriteExecute]
        guard status.permissions.intersection(shared).isEmpty else {
            throw LockstepError(
                .permissionsTooOpen, "\(path) is open to group or others",
                hint: "close it: chmod 600 \(path)")
        }
    }
}
