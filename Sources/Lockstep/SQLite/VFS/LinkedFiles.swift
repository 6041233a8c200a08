internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

// A file can have several names, and a folder can hold a link in place of a file. With a link as its log, an attacker who
// can write to the folder of a database could make this process write to another of its user's files: SQLite itself
// follows links of side files.

// A database under two names has two logs, of which a program sees one: what it commits under one name is not there
// under the other, and the next checkpoint mixes both.

/// Refuses databases that have other names, and side files that do or are no files.
enum LinkedFiles {
    /// - Parameter path: The database. That it is a link itself is refused elsewhere.
    /// - Throws: ``LockstepError/Code/notAFile`` if it or one of its side files has another hard link, or if a side file is
    ///   no regular file. What does not exist is not refused.
    static func refuse(at path: FilePath) throws(LockstepError) {
        try requireOneName(
            path, status(path.string), "its log belongs to one of them, and is not seen under the others")
        for suffix in DatabaseFile.sideSuffixes {
            let side = DatabaseFile.side(suffix, of: path)
            guard let status = status(side.string) else { continue }
            guard isRegular(status) else {
                throw LockstepError(
                    .notAFile, "\(side) is not a regular file",
                    hint: "SQLite would write to what it leads to: find out who made it, and move it away",
                    context: .file(side))
            }
            try requireOneName(side, status, "SQLite would write to all of them")
        }
    }

    private static func requireOneName(
        _ path: FilePath, _ status: stat?, _ consequence: String
    ) throws(LockstepError) {
        guard let status, isRegular(status) else { return }
        let names = Int(status.st_nlink)
        guard names > 1, names - unfinished(path) > 1 else { return }
        throw LockstepError(
            .notAFile, "\(path) has \(names) names: \(consequence)",
            hint:
                "find the others with `find -samefile \(path)`; if they are yours, make it a file of its own with `cp` and `mv`",
            context: .file(path))
    }

    /// The number of names that killed programs have left: a finished file gets its name before it loses its first one.
    private static func unfinished(_ path: FilePath) -> Int {
        guard let identity = FileIdentity(path), let leftovers = try? AtomicFile.leftovers(of: path) else { return 0 }
        return leftovers.count { FileIdentity($0) == identity }
    }

    /// Whether SQLite may open this side file: it has one name, or there is none yet.
    static func isUsable(_ name: UnsafePointer<CChar>?) -> Bool {
        guard let name = unsafe name else { return true }
        guard let status = unsafe status(String(cString: name)) else { return true }
        return isRegular(status) && status.st_nlink <= 1
    }

    private static func isRegular(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }

    /// Nil if nothing is there. A link is not followed.
    private static func status(_ path: String) -> stat? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status : nil
    }
}
