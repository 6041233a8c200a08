internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

// A file can have several names, and a folder can hold a link in place of a file. With a link as its log, an attacker who
// can write to the folder of a database could make this process write to another of its user's files: SQLite itself
// follows links of side files.

/// Refuses side files of databases that have other names or are no files.
enum LinkedFiles {
    /// - Parameter path: The database. That it is a link itself is refused elsewhere.
    /// - Throws: ``LockstepError/Code/notAFile`` if one of its side files has another hard link or is no regular file. What
    ///   does not exist is not refused.
    static func refuse(at path: FilePath) throws(LockstepError) {
        for suffix in DatabaseFile.sideSuffixes {
            let side = DatabaseFile.side(suffix, of: path)
            guard isRegularOrMissing(side.string) else {
                throw LockstepError(
                    .notAFile, "\(side) is not a regular file",
                    hint: "SQLite would write to what it leads to: find out who made it, and move it away",
                    context: .file(side))
            }
            try requireOneName(side)
        }
    }

    private static func requireOneName(_ path: FilePath) throws(LockstepError) {
        let names = links(path.string)
        guard names > 1 else { return }
        throw LockstepError(
            .notAFile, "\(path) has \(names) names: SQLite would write to all of them",
            hint:
                "find the others with `find -samefile \(path)`; if they are yours, make it a file of its own with `cp` and `mv`",
            context: .file(path))
    }

    /// Whether SQLite may open this side file: it has one name, or there is none yet.
    static func isUsable(_ name: UnsafePointer<CChar>?) -> Bool {
        guard let name = unsafe name else { return true }
        let path = unsafe String(cString: name)
        return isRegularOrMissing(path) && links(path) <= 1
    }

    /// The number of names of a regular file; 0 for anything else.
    private static func links(_ path: String) -> Int {
        guard let status = status(path), status.st_mode & S_IFMT == S_IFREG else { return 0 }
        return Int(status.st_nlink)
    }

    private static func isRegularOrMissing(_ path: String) -> Bool {
        status(path).map { $0.st_mode & S_IFMT == S_IFREG } ?? true
    }

    /// Nil if nothing is there. A link is not followed.
    private static func status(_ path: String) -> stat? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status : nil
    }
}
