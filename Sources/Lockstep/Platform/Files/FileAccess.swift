package import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Opens and reads files that an attacker may have crafted.
package enum FileAccess {
    /// The protection that a file needs.
    package enum Sensitivity {
        /// Anyone may read it.
        case ordinary
        /// It contains or protects secrets: it must belong to this user and be closed to group and others.
        case secret
    }

    /// Opens an existing regular file for reading, without following a symbolic link in the last component.
    ///
    /// The checks use the open descriptor, so the file cannot be replaced in between.
    package static func open(_ path: FilePath, _ sensitivity: Sensitivity) throws -> FileDescriptor {
        try openSized(path, sensitivity).file
    }

    private static func openSized(
        _ path: FilePath, _ sensitivity: Sensitivity
    ) throws -> (file: FileDescriptor, size: Int) {
        // Non-blocking: a named pipe in place of the file must not block the caller.
        let file = try translatingErrno("open", path) {
            try FileDescriptor.open(path, .readOnly, options: [.noFollow, .closeOnExec, .nonBlocking])
        }
        do {
            return (file, Int(try check(file, path, sensitivity).size))
        } catch {
            throw cleaningUp(after: error, isBestEffort: true) { try file.close() }
        }
    }

    /// Reads a whole file of at most `limit` bytes.
    package static func read(
        _ path: FilePath, limit: Int, _ sensitivity: Sensitivity = .ordinary
    ) throws -> [UInt8] {
        let (file, size) = try openSized(path, sensitivity)
        defer { try? file.close() }
        var bytes: [UInt8] = []
        // Reading one byte more than the size detects growth; some files with content report a size of 0.
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

    /// Whether anything, even a dangling link, exists at `path`.
    ///
    /// A path without permission counts as existing: opening it then reports the reason.
    package static func exists(_ path: FilePath) -> Bool {
        do {
            _ = try Stat(path, followTargetSymlink: false)
            return true
        } catch {
            return error == .permissionDenied
        }
    }

    /// Whether a symbolic link lies at `path`.
    static func isLink(_ path: FilePath) -> Bool {
        (try? Stat(path, followTargetSymlink: false).type) == .symbolicLink
    }

    /// The error for a file that is larger than `limit` bytes.
    static func tooLarge(_ path: FilePath, _ limit: Int) -> LockstepError {
        LockstepError(
            .tooLarge, "\(path) is larger than the \(limit) bytes that its format allows",
            hint: "check that this is the right file", context: .file(path))
    }

    /// The size in bytes of `path`, which must be a regular file and not a link.
    static func sizeOfRegularFile(_ path: FilePath) throws -> Int {
        let status = try translatingErrno("look at", path) {
            try Stat(path, followTargetSymlink: false)
        }
        try checkType(status, path)
        return Int(status.size)
    }

    /// Whether this process can read the file.
    static func isReadable(_ path: FilePath) -> Bool {
        unsafe path.withPlatformString { unsafe access($0, R_OK) } == 0
    }

    /// Whether this process can write the file, or make files in the folder.
    static func isWritable(_ path: FilePath) -> Bool {
        unsafe path.withPlatformString { unsafe access($0, W_OK) } == 0
    }

    /// Requires that only the owner and root can replace files in the folder.
    static func requireOwnFolder(_ folder: FilePath) throws {
        let status = try translatingErrno("look at", folder) { try Stat(folder) }
        guard [0, geteuid()].contains(status.userID.rawValue) else {
            throw LockstepError(
                .permissionsTooOpen, "the folder \(folder) belongs to another user",
                hint: "keep keyrings in a folder of your own", context: .file(folder))
        }
        guard status.permissions.intersection([.groupWrite, .otherWrite]).isEmpty else {
            throw LockstepError(
                .permissionsTooOpen, "others can write to the folder \(folder)",
                hint: "close it: chmod 700 \(folder)", context: .file(folder))
        }
    }

    /// Requires a folder in which this process can make files.
    static func requireWritable(_ folder: FilePath) throws {
        let status = try translatingErrno("look at", folder) { try Stat(folder) }
        guard status.type == .directory else {
            throw LockstepError.system(.notDirectory, "make a file in", folder)
        }
        guard unsafe folder.withPlatformString({ unsafe access($0, W_OK | X_OK) }) == 0 else {
            throw LockstepError.system(Errno(rawValue: errno), "make a file in", folder)
        }
    }

    /// Gives a file of Lockstep the owner, group and permissions of the file at `path`.
    static func copy(accessTo path: FilePath, _ file: FileDescriptor, _ name: FilePath) throws {
        let old = try translatingErrno("look at", path) {
            try Stat(path, followTargetSymlink: false)
        }
        let new = try translatingErrno("look at", name) { try file.stat() }
        let isOthers = (old.userID, old.groupID) != (new.userID, new.groupID)
        // The owner comes first: changing it can remove permissions.
        let changed =
            (!isOthers || fchown(file.rawValue, old.userID.rawValue, old.groupID.rawValue) == 0)
            && fchmod(file.rawValue, old.permissions.rawValue) == 0
        guard changed else {
            throw LockstepError.system(Errno(rawValue: errno), "give the owner and permissions of \(path) to", name)
        }
    }

    /// The bytes that this user can still write to the disk of `folder`; nil if the disk does not report it.
    static func freeSpace(in folder: FilePath) throws -> Int? {
        var status = statvfs()
        guard unsafe folder.withPlatformString({ unsafe statvfs($0, &status) }) == 0 else {
            throw LockstepError.system(Errno(rawValue: errno), "look at", folder)
        }
        // Some user-space file systems report no blocks.
        guard status.f_blocks > 0 else { return nil }
        let (bytes, overflow) = Int(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
        return overflow ? .max : bytes
    }

    /// The access rights of a file or folder.
    struct Rights {
        /// The permission bits in octal digits, as for `chmod`.
        let mode: String
        /// Whether it belongs to the current user.
        let isOwn: Bool
        let isReadableByOthers: Bool
        let isWritableByOthers: Bool
        /// Whether only their owners may remove entries of the folder.
        let isSticky: Bool
    }

    /// The access rights of `path`; nil if nothing exists there. Others are the group and everyone.
    static func rights(on path: FilePath) throws -> Rights? {
        guard exists(path) else { return nil }
        let status = try translatingErrno("look at", path) {
            try Stat(path, followTargetSymlink: false)
        }
        let permissions = status.permissions
        return Rights(
            mode: String(permissions.rawValue & 0o7777, radix: 8), isOwn: status.userID.rawValue == geteuid(),
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
                hint: "devices, sockets and pipes are refused here", context: .file(path))
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
                hint: "make it yours: chown \(geteuid()) \(path)", context: .file(path))
        }
        let shared: FilePermissions = [.groupReadWriteExecute, .otherReadWriteExecute]
        guard status.permissions.intersection(shared).isEmpty else {
            throw LockstepError(
                .permissionsTooOpen, "\(path) is open to group or others",
                hint: "close it: chmod 600 \(path)", context: .file(path))
        }
        return status
    }
}
