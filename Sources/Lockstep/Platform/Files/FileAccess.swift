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
        try openSized(path, sensitivity).file
    }

    private static func openSized(
        _ path: FilePath, _ sensitivity: Sensitivity
    ) throws -> (file: FileDescriptor, size: Int) {
        // Non-blocking: a named pipe in the file's place must not hang the caller.
        let file = try translatingErrno("open", path) {
            try FileDescriptor.open(
                path, .readOnly, options: [.noFollow, .closeOnExec, .nonBlocking])
        }
        do {
            return (file, Int(try check(file, path, sensitivity).size))
        } catch {
            try? file.close()
            throw error
        }
    }

    /// Reads a whole file of at most `limit` bytes.
    package static func read(
        _ path: FilePath, limit: Int, _ sensitivity: Sensitivity = .ordinary
    ) throws -> [UInt8] {
        let (file, size) = try openSized(path, sensitivity)
        defer { try? file.close() }
        var bytes: [UInt8] = []
        // One byte more than it says it holds tells whether it has grown since; some that hold much say 0.
        var chunk = [UInt8](repeating: 0, count: min(max(size, 4095), 65_535) + 1)
        while true {
            let count = try translatingErrno("read", path) {
                unsafe try chunk.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
            }
            bytes.append(contentsOf: chunk[..<count])
            if bytes.count > limit { throw tooLarge(path, limit) }
            let isAtKnownEnd = bytes.count == size && count < chunk.count
            if count == 0 || isAtKnownEnd { return bytes }
        }
    }

    /// Whether anything, even a dangling link, stands at `path`.
    ///
    /// What we may not look at counts as there: opening it tells the reason.
    package static func exists(_ path: FilePath) -> Bool {
        do {
            _ = try Stat(path, followTargetSymlink: false)
            return true
        } catch {
            return error == .permissionDenied
        }
    }

    /// The error for a file that is larger than `limit` bytes.
    static func tooLarge(_ path: FilePath, _ limit: Int) -> LockstepError {
        LockstepError(
            .tooLarge, "\(path) is larger than the \(limit) bytes its format allows",
            hint: "check that this is the file you mean")
    }

    /// The size in bytes of `path`, if it is itself, and not only through a link, a regular file.
    static func sizeOfRegularFile(_ path: FilePath) throws -> Int {
        let status = try translatingErrno("look at", path) {
            try Stat(path, followTargetSymlink: false)
        }
        try checkType(status, path)
        return Int(status.size)
    }

    /// Whether we may read the file.
    static func isReadable(_ path: FilePath) -> Bool {
        unsafe path.withPlatformString { unsafe access($0, R_OK) } == 0
    }

    /// Goes on only where nobody else may exchange what lies in the folder. Root may do anything anyway.
    static func requireOwnFolder(_ folder: FilePath) throws {
        let status = try translatingErrno("look at", folder) { try Stat(folder) }
        guard [0, geteuid()].contains(status.userID.rawValue) else {
            throw LockstepError(
                .permissionsTooOpen, "the folder \(folder) belongs to another user",
                hint: "keep keyrings in a folder of your own")
        }
        guard status.permissions.intersection([.groupWrite, .otherWrite]).isEmpty else {
            throw LockstepError(
                .permissionsTooOpen, "others may write into the folder \(folder)",
                hint: "close it: chmod 700 \(folder)")
        }
    }

    /// Gives a file of ours the owner, group and permissions of the one at `path`.
    static func copy(accessTo path: FilePath, _ file: FileDescriptor, _ name: FilePath) throws {
        let old = try translatingErrno("look at", path) {
            try Stat(path, followTargetSymlink: false)
        }
        let new = try translatingErrno("look at", name) { try file.stat() }
        let isOthers = (old.userID, old.groupID) != (new.userID, new.groupID)
        // The owner comes first: changing it may take permissions away.
        let changed =
            (!isOthers || fchown(file.rawValue, old.userID.rawValue, old.groupID.rawValue) == 0)
            && fchmod(file.rawValue, old.permissions.rawValue) == 0
        guard changed else {
            throw LockstepError.system(
                Errno(rawValue: errno), "give the owner and permissions of \(path) to", name)
        }
    }

    /// How many bytes the disk of `folder` has left for us; nil where it does not tell.
    static func freeSpace(in folder: FilePath) throws -> Int? {
        var status = statvfs()
        guard unsafe folder.withPlatformString({ unsafe statvfs($0, &status) }) == 0 else {
            throw LockstepError.system(Errno(rawValue: errno), "look at", folder)
        }
        // Some file systems in user space count no blocks at all.
        guard status.f_blocks > 0 else { return nil }
        let (bytes, overflow) = Int(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
        return overflow ? .max : bytes
    }

    /// Who may do what with a file or folder.
    struct Rights {
        /// The permission bits in octal digits, as `chmod` takes them.
        let mode: String
        /// Whether it belongs to the user who asks.
        let isOwn: Bool
        let isReadableByOthers: Bool
        let isWritableByOthers: Bool
        /// Whether only their owners may remove what lies in the folder.
        let isSticky: Bool
    }

    /// Who may do what with what stands at `path`; nil if nothing does. Others are the group and everybody.
    static func rights(on path: FilePath) throws -> Rights? {
        guard exists(path) else { return nil }
        let status = try translatingErrno("look at", path) {
            try Stat(path, followTargetSymlink: false)
        }
        let permissions = status.permissions
        return Rights(
            mode: String(permissions.rawValue & 0o7777, radix: 8),
            isOwn: status.userID.rawValue == geteuid(),
            isReadableByOthers: !permissions.isDisjoint(with: [.groupRead, .otherRead]),
            isWritableByOthers: !permissions.isDisjoint(with: [.groupWrite, .otherWrite]),
            isSticky: permissions.contains(.saveText))
    }

    private static func checkType(_ status: Stat, _ path: FilePath) throws {
        switch status.type {
        case .regular: return
        case .directory: throw LockstepError.system(.isDirectory, "open", path)
        case .symbolicLink: throw LockstepError.system(.tooManySymbolicLinkLevels, "open", path)
        default:
            throw LockstepError(
                .notAFile, "\(path) is not a regular file",
                hint: "devices, sockets and pipes are refused here")
        }
    }

    private static func check(
        _ file: FileDescriptor, _ path: FilePath, _ sensitivity: Sensitivity
    ) throws -> Stat {
        let status = try translatingErrno("look at", path) { try file.stat() }
        try checkType(status, path)
        guard sensitivity == .secret else { return status }
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
        return status
    }
}
