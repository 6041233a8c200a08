package import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

#if canImport(Glibc)
private typealias DirectoryStream = OpaquePointer
#else
private typealias DirectoryStream = UnsafeMutablePointer<DIR>
#endif

/// Lists folders and makes temporary ones.
package enum Folder {
    /// Makes a folder that only this user can access, in `TMPDIR` or else in `/tmp`.
    static func makeTemporary() throws -> FilePath {
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
        let name = "lockstep-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let path = FilePath(parent.isEmpty ? "/tmp" : parent).appending(name)
        guard unsafe path.withPlatformString({ unsafe mkdir($0, 0o700) }) == 0 else {
            throw LockstepError.system(Errno(rawValue: errno), "create the folder", path)
        }
        return path
    }

    /// The sorted names of the folder's visible files and of its visible folders, or of the hidden ones.
    /// - Parameter isWanted: Selects the names to examine; examining a file takes longer than reading its name.
    package static func list(
        _ path: FilePath, hidden: Bool = false, where isWanted: (String) -> Bool = { _ in true }
    ) throws -> (files: [String], folders: [String]) {
        let entries = try entries(path, hidden: hidden, where: isWanted)
        return (entries.files, entries.folders)
    }

    /// The entries of a folder, by name.
    struct Entries {
        var files: [String] = []
        var folders: [String] = []
        /// Pipes, sockets, devices, and dangling links.
        var others: [String] = []
    }

    /// The same, including entries that are neither files nor folders.
    static func entries(
        _ path: FilePath, hidden: Bool = false, where isWanted: (String) -> Bool = { _ in true }
    ) throws -> Entries {
        guard let stream = unsafe path.withPlatformString({ unsafe opendir($0) }) else {
            let failure = Errno(rawValue: errno)
            guard failure != .notDirectory else {
                throw LockstepError(
                    .notAFile, "\(path) is a file, not a folder", hint: "give the folder's path", context: .file(path))
            }
            throw LockstepError.system(failure, "open the folder", path)
        }
        defer { unsafe closedir(stream) }
        var entries = Entries()
        while let entry = unsafe nextEntry(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            guard name.begins(with: ".") == hidden, isWanted(name) else { continue }
            switch kind(unsafe Int32(entry.pointee.d_type), path.appending(name)) {
            case .regular: entries.files.append(name)
            case .directory: entries.folders.append(name)
            default: entries.others.append(name)
            }
        }
        guard errno == 0 else {
            throw LockstepError.system(Errno(rawValue: errno), "list the folder", path)
        }
        entries.files = entries.files.sortedByBytes()
        entries.folders = entries.folders.sortedByBytes()
        entries.others = entries.others.sortedByBytes()
        return entries
    }

    /// The type of an entry, or of the target if it is a link. Most file systems store the type in the entry; otherwise
    /// the file is examined.
    private static func kind(_ entryType: Int32, _ path: FilePath) -> FileType? {
        switch entryType {
        case Int32(DT_REG): .regular
        case Int32(DT_DIR): .directory
        // A file that has disappeared or a dangling link is neither file nor folder.
        default: (try? Stat(path))?.type
        }
    }

    /// Clears errno first, because only errno distinguishes the end of a folder from a failure.
    private static func nextEntry(_ stream: DirectoryStream) -> UnsafeMutablePointer<dirent>? {
        errno = 0
        return unsafe readdir(stream)
    }

    /// The folder's own name, even if the path ends in `.` or `..` or is a link.
    static func name(of path: FilePath) throws -> String {
        try resolve(path).lastComponent?.string ?? ""
    }

    /// The folder's absolute path, without links, `.` and `..`.
    static func resolve(_ path: FilePath) throws -> FilePath {
        guard let resolved = unsafe path.withPlatformString({ unsafe realpath($0, nil) }) else {
            throw LockstepError.system(Errno(rawValue: errno), "resolve", path)
        }
        defer { unsafe free(resolved) }
        return FilePath(unsafe String(cString: resolved))
    }
}
