public import SystemPackage

/// A copy of a database and its damaged write-ahead log, made before the database was opened without the commits after
/// the damage. ``Salvage`` of the database reads it too.
public struct SetAsideLog: Sendable, Hashable {
    /// The copy of the database, beside it. The copy of the log is beside the copy.
    public let copy: FilePath
    /// Commits in the log that SQLite does not reach.
    public let lostCommits: Int
    /// Pages that the log had, according to its index, and that are in neither file.
    public let missingPages: Int

    private static let infix = ".damaged-"

    /// Whether a file has the name of a copy.
    static func isCopy(_ path: FilePath) -> Bool { database(ofCopy: path.lastComponent?.string ?? "") != nil }

    /// The name of the database of which a file with this name is a copy; nil for any other file.
    static func database(ofCopy name: String) -> String? {
        let digits = name.utf8.reversed().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
        guard digits > 0, let rest = String(decoding: name.utf8.dropLast(digits), as: UTF8.self).rest(before: infix)
        else { return nil }
        return String(rest)
    }

    /// What a person is to know of the copies in a database's folder.
    /// - Throws: The errors of listing it.
    package static func notices(beside database: FilePath) throws -> [LockstepError.Advice] {
        let own: [LockstepError.Advice] = try copies(of: database).map { copy in
            """
            \(copy) was set aside when the database was opened with a damaged log: \(.salvage) of the database \
            reads it. Remove it and its log when nothing in it is needed
            """
        }
        return try own
            + strays(beside: database).map { copy in
                """
                \(copy) was set aside with the damaged log of a database that is not there any more: if it is this one, \
                \(.salvage) reads it under the database's present name, followed by the same ending
                """
            }
    }

    /// The files in a database's folder that have the name of a copy of one that is not there any more: it can be this one,
    /// which was moved.
    /// - Throws: The errors of listing its folder.
    package static func strays(beside database: FilePath) throws -> [FilePath] {
        let folder = AtomicFile.parent(of: database)
        return try Folder.list(folder).files.filter { name in
            guard let former = Self.database(ofCopy: name) else { return false }
            return !FileAccess.exists(folder.appending(former))
        }.map { folder.appending($0) }
    }

    /// The copies beside a database, the oldest first.
    /// - Throws: The errors of listing its folder.
    package static func copies(of database: FilePath) throws -> [FilePath] {
        guard let name = database.lastComponent else { return [] }
        let folder = AtomicFile.parent(of: database)
        let prefix = name.string + infix
        let files = try Folder.list(folder, hidden: prefix.begins(with: ".")) {
            $0.begins(with: prefix)
        }.files
        let numbers = files.compactMap { $0.rest(after: prefix).flatMap { Int($0) } }
        return numbers.sorted().map { folder.appending("\(prefix)\($0)") }
    }

    /// Copies a database that the caller has to itself, and its log. What it has copied is on disk when it returns.
    /// - Throws: ``LockstepError/Code/full`` and the errors of writing files; then it leaves no copy.
    static func make(
        of database: FilePath, _ found: LogExamination, freeSpace: (FilePath) throws -> Int? = FileAccess.freeSpace
    ) throws -> SetAsideLog {
        let log = DatabaseFile.side("-wal", of: database)
        let hasLog = FileAccess.exists(log)
        let sizes = try (FileAccess.sizeOfRegularFile(database), hasLog ? FileAccess.sizeOfRegularFile(log) : 0)
        try DiskSpace.require(
            DiskSpace.needed(forCopyOf: sizes.0 + sizes.1), for: "a copy of \(database) and its damaged log",
            in: AtomicFile.parent(of: database), freeSpace)
        let copy = try freeName(beside: database)
        let logCopy = DatabaseFile.side("-wal", of: copy)
        // The database gets its name last: a copy that is there is complete.
        do {
            if hasLog { try write(DatabaseFile(database, suffix: "-wal"), to: logCopy) }
            try write(DatabaseFile(database), to: copy)
        } catch {
            AtomicFile.remove(logCopy)
            throw error
        }
        return SetAsideLog(copy: copy, lostCommits: found.lostCommits, missingPages: found.missingFrames)
    }

    private static func freeName(beside database: FilePath) throws -> FilePath {
        var number = 1
        while true {
            let copy = FilePath("\(database)\(infix)\(number)")
            let names = [copy, DatabaseFile.side("-wal", of: copy)]
            guard names.contains(where: FileAccess.exists) else { return copy }
            number += 1
        }
    }

    private static func write(_ source: consuming DatabaseFile, to path: FilePath) throws {
        let pending = try AtomicFile.uniqueSibling(of: path)
        let file = try AtomicFile.create(pending, for: path)
        do {
            try file.closeAfter {
                for offset in stride(from: 0, to: source.size, by: 1 << 20) {
                    let bytes = try source.read(at: offset, 1 << 20)
                    try translatingErrno("write", path) { _ = try file.writeAll(bytes) }
                }
                try AtomicFile.sync(file, path)
            }
            try AtomicFile.moveIntoPlace(pending, path)
        } catch {
            AtomicFile.remove(pending)
            throw error
        }
    }
}
