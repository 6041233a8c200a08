internal import SystemPackage

/// The backups from before the safe migrations of one database: their names, and how many may stay.
///
/// `<database>.<UTC time>-<number>.before-migration`, beside the database; in a folder of their own
/// `<database>-<tag>.<UTC time>-…`, where the tag tells databases of the same name apart. Only regular files
/// of such a name that begin like files under the database's keys are taken for backups; everything else
/// that bears such a name stays, and is stepped around.
struct MigrationBackups {
    static let ending = ".before-migration"

    /// Where they lie; empty where the database is named without a folder.
    private let folder: FilePath
    private let prefix: String
    private let salts: Set<[UInt8]>

    init(of database: FilePath, in folder: FilePath?, salts: Set<[UInt8]>) throws {
        self.salts = salts
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

    /// The folder, also where it is not named.
    var place: FilePath { folder.isEmpty ? "." : folder }

    /// A backup by its name.
    struct Name: Comparable {
        let stamp: String
        let number: Int

        /// Older ones come first.
        static func < (one: Name, other: Name) -> Bool {
            (one.stamp, one.number) < (other.stamp, other.number)
        }
    }

    /// What a file name says; nil for the name of something else.
    func parse(_ file: some StringProtocol) -> Name? {
        guard file.hasPrefix(prefix), file.hasSuffix(Self.ending) else { return nil }
        let parts = file.dropFirst(prefix.count).dropLast(Self.ending.count)
            .split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, TimeStamp.isValid(parts[0]), let number = Int(parts[1]),
            number > 0, String(number) == parts[1]
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
        schema: ConnectionOptions, _ progress: (CopyProgress) throws -> Void
    ) throws -> FilePath {
        let stamp = TimeStamp.now
        var number = 1
        while true {
            let path = path(Name(stamp: stamp, number: number))
            number += 1
            guard try isFree(path) else { continue }
            return try connection.read { connection in
                _ = try Backup.run(connection, to: path, key, schema: schema, progress)
                return path
            }
        }
    }

    /// Whether neither the name nor those of side files are taken by something of somebody's.
    private func isFree(_ path: FilePath) throws -> Bool {
        ["", "-wal", "-shm", "-journal"].allSatisfy {
            !FileAccess.exists(DatabaseFile.side($0, of: path))
        }
    }

    // MARK: Removing

    /// Whether the file is a backup of ours.
    func isBackup(_ path: FilePath) -> Bool {
        guard let name = path.lastComponent?.string, parse(name) != nil,
            let head = try? DatabaseFile(path).read(at: 0, DatabaseKey.saltLength)
        else { return false }
        return salts.contains(head)
    }

    /// Removes a backup with what lies beside it.
    func remove(_ path: FilePath) { if isBackup(path) { PendingDatabase.remove(path) } }

    /// Removes the oldest, down to so many. Those in `pinned` stay, and are not counted.
    func sweep(keeping count: Int, pinned: [FilePath] = []) throws {
        let pinned = pinned.map { FileIdentity($0) }
        let backups = try Folder.list(place, where: { $0.hasSuffix(Self.ending) }).files
            .compactMap { file in parse(file).map { (name: $0, path: folder.appending(file)) } }
            .filter { !pinned.contains(FileIdentity($0.path)) && isBackup($0.path) }
            .sorted { $0.name < $1.name }
        for backup in backups.dropLast(count) { PendingDatabase.remove(backup.path) }
    }

    /// Removes what killed runs left of backups that they had not finished. No other run may be under way.
    func sweepUnfinished() throws {
        for file in try Folder.list(place, hidden: true, where: { $0.hasPrefix(".\(prefix)") })
            .files
        {
            let name = ["-wal", "-shm", "-journal"].reduce(file) {
                $0.hasSuffix($1) ? String($0.dropLast($1.count)) : $0
            }
            // As `AtomicFile.uniqueSibling(of:)` names them: `.<name>.<number in base 36>.new`.
            let parts = name.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count > 2, parts.last == "new",
                UInt64(parts[parts.count - 2], radix: 36) != nil,
                parse(parts.dropLast(2).joined(separator: ".")) != nil
            else { continue }
            AtomicFile.remove(folder.appending(file))
        }
    }
}
