internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Writes files so that a crash leaves either the old content or the new, never a mixture.
enum AtomicFile {
    /// Replaces (or creates) `path` with `bytes`, readable by the owner only.
    ///
    /// A temporary file in the same folder is written, synced and renamed over the target; the folder
    /// is synced last, so that the rename survives a power loss.
    static func write(_ bytes: [UInt8], to path: FilePath) throws {
        let temporary = try uniqueSibling(of: path)
        let file = try create(temporary)
        do {
            defer { try? file.close() }
            try translatingErrno("write", temporary) {
                _ = try file.writeAll(bytes)
            }
            try sync(file, temporary)
            try move(temporary, over: path)
        } catch {
            remove(temporary)
            throw error
        }
        try syncFolder(of: path)
    }

    /// Creates an empty file with mode 0600; fails if anything exists at the path.
    /// - Parameter name: Its name in errors, if `path` is temporary.
    static func create(_ path: FilePath, for name: FilePath? = nil) throws -> FileDescriptor {
        try translatingErrno("create", name ?? path) {
            try FileDescriptor.open(
                path, .readWrite,
                options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                permissions: .ownerReadWrite)
        }
    }

    /// Creates the folder at `path`, unless it exists.
    static func createFolder(_ path: FilePath, mode: mode_t = 0o700) throws {
        let result = unsafe path.withPlatformString { unsafe mkdir($0, mode) }
        guard result != 0 else { return }
        let failure = Errno(rawValue: errno)
        guard failure == .fileExists else {
            throw LockstepError.system(failure, "create the folder", path)
        }
    }

    /// Gives a finished file its name, unless anything exists there, and makes that durable. If it throws, no file of
    /// Lockstep has the name.
    static func moveIntoPlace(_ source: FilePath, _ target: FilePath) throws {
        // Renaming would replace a file that someone put there in the meantime; adding a second name cannot.
        let linked = unsafe source.withPlatformString { from in
            unsafe target.withPlatformString { to in unsafe link(from, to) == 0 }
        }
        guard linked else {
            throw LockstepError.system(Errno(rawValue: errno), "create", target)
        }
        remove(source)
        try confirm(target)
    }

    /// Makes a new name durable. If it throws, the name is gone.
    static func confirm(_ target: FilePath) throws {
        do {
            try syncFolder(of: target)
        } catch {
            // After the error, the caller treats the file's key as unused.
            remove(target)
            throw error
        }
    }

    /// Makes renamed and created entries in the folder of `path` survive a power loss.
    static func syncFolder(of path: FilePath) throws {
        let folder = parent(of: path)
        let descriptor = try translatingErrno("open", folder) {
            try FileDescriptor.open(folder, .readOnly, options: [.closeOnExec, .directory])
        }
        defer { try? descriptor.close() }
        try sync(descriptor, folder)
    }

    /// Removes a file of Lockstep; it is not an error if the file does not exist.
    static func remove(_ path: FilePath) {
        _ = unsafe path.withPlatformString { unsafe unlink($0) }
    }

    /// Removes an empty folder of Lockstep; it is not an error if the folder does not exist.
    static func removeFolder(_ path: FilePath) {
        _ = unsafe path.withPlatformString { unsafe rmdir($0) }
    }

    /// The folder that contains `path`.
    static func parent(of path: FilePath) -> FilePath {
        let parent = path.removingLastComponent()
        return parent.isEmpty ? "." : parent
    }

    /// Makes the file's content survive a power loss.
    static func sync(_ file: FileDescriptor, _ path: FilePath) throws {
        guard fsync(file.rawValue) == 0 else {
            throw LockstepError.system(Errno(rawValue: errno), "sync", path)
        }
    }

    /// Fails if anything exists at `target`, or if a file there would be taken for a part of a database.
    static func requireFree(_ target: FilePath) throws {
        try SideFileName.require(no: target)
        guard !FileAccess.exists(target) else {
            throw LockstepError.system(.fileExists, "create", target)
        }
    }

    /// Renames a file of Lockstep, replacing anything at `target`.
    static func move(_ source: FilePath, over target: FilePath) throws {
        let moved = unsafe source.withPlatformString { from in
            unsafe target.withPlatformString { to in unsafe rename(from, to) == 0 }
        }
        guard moved else { throw LockstepError.system(Errno(rawValue: errno), "replace", target) }
    }

    /// Removes temporary files that killed writers of `path` left beside it. Nobody else must be writing it.
    static func removeLeftovers(of path: FilePath) throws {
        for file in try leftovers(of: path) { remove(file) }
    }

    /// The files beside `path` with names from ``uniqueSibling(of:)``, of running or killed writers.
    static func leftovers(of path: FilePath) throws -> [FilePath] {
        guard let name = path.lastComponent?.string else { return [] }
        let folder = parent(of: path)
        let leftovers = try Folder.list(folder, hidden: true) { isLeftover($0, of: name) }
        return leftovers.files.map { folder.appending($0) }
    }

    /// Whether a file has a name from ``uniqueSibling(of:)`` for a file of this name.
    static func isLeftover(_ file: String, of name: String) -> Bool {
        guard let number = file.rest(after: ".\(name).")?.rest(before: ".new") else {
            return false
        }
        return UInt64(number, radix: 36) != nil
    }

    /// The file of a lock beside `path`: hidden, and named for it.
    static func hiddenSibling(_ kind: String, of path: FilePath) -> FilePath {
        parent(of: path).appending(".\(path.lastComponent?.string ?? "").\(kind)")
    }

    /// An unused name beside `path`: hidden, and ending in `.new`.
    static func uniqueSibling(of path: FilePath) throws -> FilePath {
        guard let name = path.lastComponent else {
            throw LockstepError(
                .notAFile, "\(path) does not name a file", hint: "give the path of a file", context: .file(path))
        }
        let suffix = UInt64.random(in: .min ... .max)
        return parent(of: path).appending(".\(name.string).\(String(suffix, radix: 36)).new")
    }
}
