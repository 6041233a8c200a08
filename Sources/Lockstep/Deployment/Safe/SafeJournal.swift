// The journal of a safe migration
// ===============================
//
// `<database>.safe-migration`, mode 0600, beside the database while a safe migration is under way: what the
// next run has to know should this one be killed. Lines of `name value`, in this order, each ended by a line
// feed:
//
//   lockstep-safe-migration 1
//   phase migrating | verifying | restoring
//   backup PATH      the backup from before this run
//   origin PATH      the backup from before the first of the runs that were killed; not always there
//   content HEX      64 digits: the database's content when the phase began; not always there
//
// A PATH without a slash is of the database's folder; others are absolute.
//
//   migrating    Versions may have been committed; ledger and schema agree. The next run goes on from there.
//   verifying    All versions are committed, and may not verify. The next run verifies.
//   restoring    They do not verify, or one of them failed. The next run finishes the restore, if the content
//                is still what it was, so that nobody's writes are lost; otherwise it says so.
//
// It is replaced in one step and is on the disk before what it speaks of begins. It holds no secret and needs
// no MAC: whoever can write it can put the backup into the database's place anyway, and what it names is
// restored or removed only if it verifies under the database's key, and under the name of a backup.

internal import SystemPackage

/// What a safe migration was about when it was killed.
struct SafeJournal: Equatable {
    enum Phase: String { case migrating, verifying, restoring }

    var phase: Phase
    /// The backup from before the run.
    let backup: FilePath
    /// The backup from before the first run of those that were killed.
    var origin: FilePath?
    /// The content of the database as the phase began, if it could be told; see ``ContentDigest``.
    var content: [UInt8]?

    private static let head = "lockstep-safe-migration 1"
    /// Two paths and little more.
    private static let largestFile = 16_384

    static func path(of database: FilePath) -> FilePath {
        FilePath(database.string + ".safe-migration")
    }

    /// What a run left that was killed; nil if none was.
    /// - Throws: ``LockstepError/Code/malformedInput`` for a file that is no journal.
    static func read(of database: FilePath) throws -> SafeJournal? {
        let path = path(of: database)
        guard FileAccess.exists(path) else { return nil }
        let bytes = try FileAccess.read(path, limit: largestFile)
        guard let text = String(validating: bytes, as: UTF8.self),
            let journal = parse(text, database)
        else {
            throw LockstepError(
                .malformedInput, "\(path) is no journal of a safe migration",
                hint: "move it away; if it is damaged, check with `lockstep verify` first")
        }
        return journal
    }

    /// Writes it, on the disk when this returns.
    func write(of database: FilePath) throws {
        let folder = database.removingLastComponent()
        var lines = [Self.head, "phase \(phase)", "backup \(try Self.text(backup, folder))"]
        if let origin { lines.append("origin \(try Self.text(origin, folder))") }
        if let content { lines.append("content \(Hex.encode(content))") }
        let text = lines.map { $0 + "\n" }.joined()
        try AtomicFile.write(Array(text.utf8), to: Self.path(of: database))
    }

    /// Removes it, and makes that last.
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
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        guard lines.popLast() == "", lines.popFirst() == head[...] else { return nil }
        func take(_ name: String) -> String? {
            guard let line = lines.first, line.hasPrefix(name + " ") else { return nil }
            lines.removeFirst()
            return String(line.dropFirst(name.count + 1))
        }
        guard let phase = take("phase").flatMap(Phase.init), let backup = take("backup") else {
            return nil
        }
        let origin = take("origin")
        let digits = take("content")
        let content = digits.flatMap { Hex.decode($0) }
        let folder = database.removingLastComponent()
        let paths = ([backup] + [origin].compactMap(\.self)).map {
            $0.contains("/") ? FilePath($0) : folder.appending($0)
        }
        let name = database.lastComponent?.string ?? ""
        let areBackups = paths.map { $0.lastComponent?.string ?? "" }
            .allSatisfy { $0.hasPrefix(name) && $0.hasSuffix(MigrationBackups.ending) }
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
