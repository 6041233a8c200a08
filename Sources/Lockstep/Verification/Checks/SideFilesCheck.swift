internal import SystemPackage

extension VerificationReport.Check {
    /// Only files that belong there are beside the database.
    public static let sideFiles = Self("side-files", isOfFile: true, failure: .tampered) { job in
        .beforehand { key in try SideFilesCheck.run(job.verification.path, key) }
    }
}

/// Beside a database are only its write-ahead log and the log's index, and no other file that SQLite would use.
enum SideFilesCheck {
    static func run(_ path: FilePath, _ key: borrowing DatabaseKey) throws -> CheckResult {
        var findings: [VerificationReport.Finding] = []
        if let finding = try journal(of: path, key) { findings.append(finding) }
        let log = DatabaseFile.side("-wal", of: path)
        let size = try size(ofLog: log)
        if size > 0, let finding = try unreadableLog(of: path, log, size) {
            findings.append(finding)
        }
        for leftover in try AtomicFile.leftovers(of: path) {
            findings.append(.notice("\(leftover) is an unfinished copy: remove it if no program is working on it"))
        }
        findings += try SetAsideLog.notices(beside: path).map { .notice(advice: $0) }
        return (size == 0 ? "no log" : "a log of \(size) bytes", findings)
    }

    /// 0 if there is none: the last connection to close removes it, at any moment.
    private static func size(ofLog log: FilePath) throws -> Int {
        do {
            return try FileAccess.sizeOfRegularFile(log)
        } catch let error as LockstepError {
            guard error.code == .notFound else { throw error }
            return 0
        }
    }

    /// Whether there is a rollback journal with changes. The next program to open the database would replay it.
    /// - Throws: ``LockstepError/Code/busy`` if the journal is that of a connection that is writing now, such
    ///   as one that is about to change the database's key.
    static func hasJournal(_ path: FilePath, _ key: borrowing DatabaseKey) throws -> Bool {
        try journal(of: path, key)?.isFailure ?? false
    }

    private static func journal(
        of path: FilePath, _ key: borrowing DatabaseKey
    ) throws -> VerificationReport.Finding? {
        let journal = DatabaseFile.side("-journal", of: path)
        guard FileAccess.exists(journal) else { return nil }
        let head = try DatabaseFile(path, suffix: "-journal").read(at: 0, 1)
        // SQLite ignores an empty journal, and one whose first byte is zero.
        guard let first = head.first, first != 0 else { return nil }
        guard try !DatabaseFile(path).isBeingWritten else {
            throw LockstepError(
                .busy, "\(path) is in use: another program is changing its key or its journal mode",
                hint: "run it again when that program has ended", context: .file(path))
        }
        if try ModeChangeJournal.isLeft(beside: path, key) {
            return .notice(
                "a program was killed while it changed the journal mode: the next command that opens the database, such "
                    + "as this one, ends that, and \(journal) is gone then")
        }
        return .failure(
            "\(journal) is a rollback journal, which Lockstep never leaves: the next program to open the "
                + "database replays it. If it is not this database's, move it away; otherwise open "
                + "the database once with the program that left it")
    }

    private static func unreadableLog(
        of path: FilePath, _ log: FilePath, _ size: Int
    ) throws -> VerificationReport.Finding? {
        guard try WriteAheadLog(of: path, pageSize: Profile.current.pageSize) == nil else {
            return nil
        }
        // A kill or a power cut during the first commit leaves this.
        guard size >= WriteAheadLog.smallestCommit(pageSize: Profile.current.pageSize) else {
            return .notice(
                "\(log) of \(size) bytes is too short for a commit: a program was killed while "
                    + "writing the first one"
            )
        }
        let head = try DatabaseFile(path, suffix: "-wal").read(at: 0, 32)
        guard head.contains(where: { $0 != 0 }) else {
            return .notice("\(log) begins with zeros: nothing was ever written to it")
        }
        return .failure(
            advice: """
                \(log) of \(size) bytes does not begin like a write-ahead log: SQLite ignores it, and its \
                commits are lost. Copy it before anything opens the database; \(.salvage) reads it
                """)
    }
}
