internal import SystemPackage

/// Beside a database lie its write-ahead log and the log's index, and nothing that SQLite would take for
/// more.
enum SideFilesCheck {
    static func run(_ path: FilePath) throws -> CheckResult {
        var findings: [VerificationReport.Finding] = []
        if let finding = try journal(of: path) { findings.append(finding) }
        let log = DatabaseFile.side("-wal", of: path)
        let size = FileAccess.exists(log) ? try FileAccess.sizeOfRegularFile(log) : 0
        if size > 0, let finding = try unreadableLog(of: path, log, size) {
            findings.append(finding)
        }
        for leftover in try AtomicFile.leftovers(of: path) {
            findings.append(
                .notice(
                    "\(leftover) is a copy that is being made, or was when its program was killed: "
                        + "remove it if nothing is at work on it"))
        }
        return (size == 0 ? "no log" : "a log of \(size) bytes", findings)
    }

    /// A rollback journal: whoever opens the database next would have it replayed into it.
    /// - Throws: ``LockstepError/Code/busy`` where the journal is that of a connection that is writing now, such as one
    ///   that is about to change the database's key.
    static func hasJournal(_ path: FilePath) throws -> Bool { try journal(of: path) != nil }

    private static func journal(of path: FilePath) throws -> VerificationReport.Finding? {
        let journal = DatabaseFile.side("-journal", of: path)
        guard FileAccess.exists(journal) else { return nil }
        let head = try DatabaseFile(path, suffix: "-journal").read(at: 0, 1)
        // SQLite takes no notice of an empty one, nor of one whose first byte is zero.
        guard let first = head.first, first != 0 else { return nil }
        guard try !DatabaseFile(path).isBeingWritten else {
            throw LockstepError(
                .busy, "\(path) is in use: another program is changing its key or its journal mode",
                hint: "run it again when that program has ended")
        }
        return .failure(
            "\(journal) is a rollback journal, which no program of Lockstep's leaves: whatever opens the "
                + "database would replay it. Move it away if it is not this database's; else open the "
                + "database once with the program that left it")
    }

    private static func unreadableLog(
        of path: FilePath, _ log: FilePath, _ size: Int
    ) throws -> VerificationReport.Finding? {
        guard try WriteAheadLog(of: path, pageSize: Profile.current.pageSize) == nil else {
            return nil
        }
        // A program that is killed, or a power cut, while the first commit is written leaves this.
        guard size >= WriteAheadLog.smallestCommit(pageSize: Profile.current.pageSize) else {
            return .notice(
                "\(log) of \(size) bytes is too short to hold a commit: a program was killed while it wrote the first"
            )
        }
        let head = try DatabaseFile(path, suffix: "-wal").read(at: 0, 32)
        guard head.contains(where: { $0 != 0 }) else {
            return .notice("\(log) begins with zeros: nothing was ever written to it")
        }
        return .failure(
            "\(log) of \(size) bytes does not begin like a write-ahead log: SQLite passes over it, and "
                + "what was committed in it is lost. Keep a copy of it before anything opens the "
                + "database; `lockstep salvage` reads it")
    }
}
