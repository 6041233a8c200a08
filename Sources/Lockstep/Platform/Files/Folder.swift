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

/// Listing a folder, and making temporary ones.
package enum Folder {
    /// Makes a folder that only this user can look into, where `TMPDIR` says or in `/tmp`.
    static func makeTemporary() throws -> FilePath {
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
        let name = "lockstep-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let path = FilePath(parent.isEmpty ? "/tmp" : parent).appending(name)
        guard unsafe path.withPlatformString({ unsafe mkdir($0, 0o700) }) == 0 else {
            throw LockstepError.system(Errno(rawValue: errno), "create the folder", path)
        }
        return path
    }

    /// The names of the folder's visible files and of its visible folders, or of the hidden ones, each
    /// sorted.
    /// - Parameter isWanted: Says which names are looked at; looking at a file costs more than reading its
    ///   name.
    package static func list(
        _ path: FilePath, hidden: Bool = false, where isWanted: (String) -> Bool = { _ in true }
    ) throws -> (files: [String], folders: [String]) {
        let entries = try entries(path, hidden: hidden, where: isWanted)
        return (entries.files, entries.folders)
    }

    /// What stands in a folder, by name.
    struct Entries {
        var files: [String] = []
        var folders: [String] = []
        /// Pipes, sockets, devices, and links that lead nowhere.
        var others: [String] = []
    }

    /// The same, with what is neither file nor folder.
    static func entries(
        _ path: FilePath, hidden: Bool = false, where isWanted: (String) -> Bool = { _ in true }
    ) throws -> Entries {
        guard let stream = unsafe path.withPlatformString({ unsafe opendir($0) }) else {
            let failure = Errno(rawValue: errno)
            guard failure != .notDirectory else {
                throw LockstepError(
                    .notAFile, "\(path) is a file, not a folder", hint: "give the folder's path")
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
            guard name.hasPrefix(".") == hidden, isWanted(name) else { continue }
            switch kind(unsafe Int32(entry.pointee.d_type), path.appending(name)) {
            case .regular: entries.files.append(name)
            case .directory: entries.folders.append(name)
            default: entries.others.append(name)
            }
        }
        guard errno == 0 else {
            throw LockstepError.system(Errno(rawValue: errno), "list the folder", path)
        }
        entries.files.sort()
        entries.folders.sort()
        entries.others.sort()
        return entries
    }

    /// What an entry is, or what the link leads to that it is. Most file systems say so in the entry; the
    /// others are asked.
    private static func kind(_ entryType: Int32, _ path: FilePath) -> FileType? {
        switch entryType {
        case Int32(DT_REG): .regular
        case Int32(DT_DIR): .directory
        // What vanished, or a link that leads nowhere, is neither file nor folder.
        default: (try? Stat(path))?.type
        }
    }

    /// Clears errno first: the end of a folder and a failure look the same but for it.
    private static func nextEntry(_ stream: DirectoryStream) -> UnsafeMutablePointer<dirent>? {
        errno = 0
        return unsafe readdir(stream)
    }

    /// The folder's own name, also where the path ends in `.` or `..` or through a link.
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
