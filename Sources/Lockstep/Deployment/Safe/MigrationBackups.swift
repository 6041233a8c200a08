internal import SystemPackage

/// The backups from before the safe migrations of one database: their names, and how many to keep.
///
/// `<database>.<UTC time>-<number>.before-migration`, beside the database; in a folder of their own
/// `<database>-<tag>.<UTC time>-…`, where the tag distinguishes databases of the same name. Only regular files
/// of such a name that have one of the database's keys count as backups. Every other file of such a
/// name is left alone, and its name is not used.
///
/// The names are in the order in which the backups were made, also if the clock was wrong: one that would come before
/// another gets that one's time, and the next number.
struct MigrationBackups {
    static let ending = ".before-migration"

    /// Their folder; empty if the database is named without a folder.
    private let folder: FilePath
    private let prefix: String
    private let keys: [SharedSecret<DatabaseKey>]

    init(of database: FilePath, in folder: FilePath?, keys: [SharedSecret<DatabaseKey>]) throws {
        self.keys = keys
        self.folder = folder ?? database.removingLastComponent()
        let name = database.lastComponent?.string ?? ""
        guard folder != nil else {
            prefix = "\(name)."
            return
        }
        let home = try Folder.resolve(AtomicFile.parent(of: database))
        let digest = try HashFunction.sha256.digest(Array(home.string.utf8).span)
        prefix = "\(name)-\(Hex.encode(digest.prefix(4)))."
    }

    /// The folder, even if it is not named.
    var place: FilePath { folder.isEmpty ? "." : folder }

    /// The parsed name of a backup.
    struct Name: Comparable {
        let stamp: String
        let number: Int

        /// Older ones come first.
        static func < (one: Name, other: Name) -> Bool {
            (one.stamp, one.number) < (other.stamp, other.number)
        }
    }

    /// Parses a file name; nil if it is not a backup's.
    func parse(_ file: some StringProtocol) -> Name? {
        guard let name = file.rest(after: prefix)?.rest(before: Self.ending) else { return nil }
        let parts = name.pieces(between: "-")
        guard parts.count == 2, Timestamp.isFileName(parts[0]), let number = Int(parts[1]),
            number > 0, String(number).hasSameBytes(as: parts[1])
        else { return nil }
        return Name(stamp: String(parts[0]), number: number)
    }

    private func path(_ name: Name) -> FilePath {
        folder.appending("\(prefix)\(name.stamp)-\(name.number)\(Self.ending)")
    }

    // MARK: Making

    /// Copies the snapshot of `connection` to a new backup, and verifies it.
    func make(
        _ connection: borrowing Connection, _ key: borrowing DatabaseKey,
        schema: ConnectionOptions, _ progress: JobProgress.Handler
    ) throws -> FilePath {
        var (stamp, number) = (Timestamp.now.fileName, 1)
        // A clock that was ahead must not make the next backups the oldest ones.
        if let newest = try all().last(where: { isBackup($0.path) })?.name, newest.stamp >= stamp {
            (stamp, number) = (newest.stamp, newest.number + 1)
        }
        while true {
            let path = path(Name(stamp: stamp, number: number))
            number += 1
            guard isFree(path) else { continue }
            return try connection.read { connection in
                _ = try PageCopy.run(
                    connection, to: path, as: .copy, key.forCopy(), schema: schema, progress)
                return path
            }
        }
    }

    /// Whether the name and those of its side files are free.
    private func isFree(_ path: FilePath) -> Bool {
        DatabaseFile.suffixes.allSatisfy {
            !FileAccess.exists(DatabaseFile.side($0, of: path))
        }
    }

    // MARK: Removing

    /// Whether the file is a backup of this database.
    func isBackup(_ path: FilePath) -> Bool {
        guard let name = path.lastComponent?.string, parse(name) != nil, let file = try? FileSample(path) else {
            return false
        }
        return [true, false].contains { first in
            keys.contains { (try? file.verifies(first: first, $0.value.secret)) == true }
        }
    }

    /// Removes a backup and the files beside it.
    func remove(_ path: FilePath) { if isBackup(path) { DatabaseFile.remove(path) } }

    /// Removes the oldest backups until `count` are left. Those in `pinned` stay, and are not counted.
    func sweep(keeping count: Int, pinned: [FilePath] = []) throws {
        let pinned = pinned.map { FileIdentity($0) }
        let backups = try all().filter { !pinned.contains(FileIdentity($0.path)) && isBackup($0.path) }
        for backup in backups.dropLast(count) { DatabaseFile.remove(backup.path) }
    }

    /// The files with names of backups, the oldest first.
    private func all() throws -> [(name: Name, path: FilePath)] {
        try Folder.list(place, where: { $0.ends(with: Self.ending) }).files
            .compactMap { file in parse(file).map { (name: $0, path: folder.appending(file)) } }
            .sorted { $0.name < $1.name }
    }

    /// Removes the backups that killed runs did not finish. No other run must be in progress.
    func sweepUnfinished() throws {
        for file in try Folder.list(place, hidden: true, where: { $0.begins(with: ".\(prefix)") }).files {
            let name = DatabaseFile.sideSuffixes.reduce(file) {
                $0.rest(before: $1).map(String.init) ?? $0
            }
            // `AtomicFile.uniqueSibling(of:)` names them `.<name>.<number in base 36>.new`.
            let parts = name.utf8.dropFirst().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(
                Substring.init)
            guard parts.count > 2, parts.last == "new", UInt64(parts[parts.count - 2], radix: 36) != nil,
                parse(parts.dropLast(2).joined(separator: ".")) != nil
            else { continue }
            AtomicFile.remove(folder.appending(file))
        }
    }
}
