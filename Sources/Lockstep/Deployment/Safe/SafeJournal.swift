// The journal of a safe migration
// ===============================
//
// `<database>.safe-migration`, mode 0600, exists beside the database while a safe migration runs. It holds what
// the next run needs to know if this one is killed: lines of `name value`, in this order, each ended by a line
// feed:
//
//   lockstep-safe-migration 1
//   phase migrating | verifying | restoring
//   backup PATH      the backup from before this run
//   origin PATH      the backup from before the first of the killed runs; optional
//   content HEX      64 digits: the database's content when the phase began; optional
//
// A PATH without a slash is in the database's folder; others are absolute.
//
//   migrating    Versions can have been committed; ledger and schema agree. The next run continues from there.
//   verifying    All versions are committed but not yet verified. The next run verifies.
//   restoring    They do not verify, or one of them failed. The next run finishes the restore if the content is
//                unchanged, so that nobody's writes are lost; otherwise it reports that.
//
// The journal is replaced in one step, and is on disk before the phase that it names begins. It holds no secret
// and needs no MAC: a user who can write it can also replace the database with the backup, and the files that
// it names are restored or removed only if they verify under the database's key and have a backup's name.

internal import SystemPackage

/// The state of a safe migration that was killed.
struct SafeJournal: Equatable {
    enum Phase: String { case migrating, verifying, restoring }

    var phase: Phase
    /// The backup from before the run.
    let backup: FilePath
    /// The backup from before the first of the killed runs.
    var origin: FilePath?
    /// The content of the database when the phase began, if it is known; see ``ContentDigest``.
    var content: [UInt8]?

    private static let head = "lockstep-safe-migration 1"
    /// Two paths and little more.
    private static let largestFile = 16_384

    static func path(of database: FilePath) -> FilePath { FilePath(database.string + suffix) }

    /// The suffix of the journal's name after the database's name.
    static let suffix = CustodyLock.unfinishedMigration

    /// The journal of a run that was killed; nil if there is none.
    /// - Throws: ``LockstepError/Code/malformedInput`` for a file that is not a valid journal.
    static func read(of database: FilePath) throws -> SafeJournal? {
        let path = path(of: database)
        guard FileAccess.exists(path) else { return nil }
        let bytes = try FileAccess.read(path, limit: largestFile)
        guard let text = String(validating: bytes, as: UTF8.self), let journal = parse(text, database) else {
            throw LockstepError(
                .malformedInput, "\(path) is not a valid journal of a safe migration",
                advice: "move it away; if it is damaged, run \(.verify) first",
                context: .file(path))
        }
        return journal
    }

    /// Writes the journal, which is on disk when this returns.
    func write(of database: FilePath) throws {
        let folder = database.removingLastComponent()
        var lines = [Self.head, "phase \(phase)", "backup \(try Self.text(backup, folder))"]
        if let origin { lines.append("origin \(try Self.text(origin, folder))") }
        if let content { lines.append("content \(Hex.encode(content))") }
        let text = lines.map { $0 + "\n" }.joined()
        try AtomicFile.write(Array(text.utf8), to: Self.path(of: database))
    }

    /// Removes the journal durably.
    static func remove(of database: FilePath) throws {
        let path = path(of: database)
        AtomicFile.remove(path)
        guard !FileAccess.exists(path) else {
            throw LockstepError.system(.ioError, "remove", path)
        }
        try AtomicFile.syncFolder(of: database)
    }

    // MARK: Text

    private static func parse(_ text: String, _ database: FilePath) -> SafeJournal? {
        var lines = text.pieces(between: "\n")[...]
        guard lines.popLast() == "", lines.popFirst() == head[...] else { return nil }
        func take(_ name: String) -> String? {
            guard let value = lines.first?.rest(after: name + " ") else { return nil }
            lines.removeFirst()
            return String(value)
        }
        guard let phase = take("phase").flatMap(Phase.init), let backup = take("backup") else {
            return nil
        }
        let origin = take("origin")
        let digits = take("content")
        let content = digits.flatMap { Hex.decode($0) }
        let folder = database.removingLastComponent()
        let paths = ([backup] + [origin].compactMap(\.self)).map {
            $0.utf8.contains(UInt8(ascii: "/")) ? FilePath($0) : folder.appending($0)
        }
        let name = database.lastComponent?.string ?? ""
        let areBackups = paths.map { $0.lastComponent?.string ?? "" }
            .allSatisfy { $0.begins(with: name) && $0.ends(with: MigrationBackups.ending) }
        guard lines.isEmpty, areBackups, digits == nil || content?.count == 32 else { return nil }
        return SafeJournal(
            phase: phase, backup: paths[0], origin: origin == nil ? nil : paths[1],
            content: content)
    }

    private static func text(_ path: FilePath, _ folder: FilePath) throws -> String {
        guard path.removingLastComponent() != folder else {
            return path.lastComponent?.string ?? ""
        }
        let absolute = try Folder.resolve(AtomicFile.parent(of: path))
        return absolute.appending(path.lastComponent?.string ?? "").string
    }
}
