internal import SystemPackage

/// The look at a database's log before the first connection opens it: the connection would rebuild the log's index up
/// to the first bad frame, and write over what is after it.
enum FirstLook {
    /// What happens if the log has lost commits.
    enum Answer {
        case refuse
        case setAside
        /// Nothing, if the connection that comes leaves the log alone.
        case goOn
    }

    /// Costs one pass over a log that a killed process has left, and nothing to speak of if there is none or if a
    /// connection has the database open.
    /// - Returns: What was set aside, if anything was.
    /// - Throws: ``LockstepError/Code/damaged`` if the answer is to refuse; ``LockstepError/Code/busy`` if another
    ///   process is looking for longer than `timeout`; the errors of setting the log aside.
    static func run(
        on database: FilePath, key: borrowing DatabaseKey, timeout: Duration, _ answer: Answer
    ) throws -> SetAsideLog? {
        guard answer != .goOn else { return nil }
        let log = DatabaseFile.side("-wal", of: database)
        let hasLog = try FileAccess.exists(log) && FileAccess.sizeOfRegularFile(log) > 0
        guard FileAccess.isWritable(database) else {
            return try hasLog && answer == .refuse ? lookUnlocked(at: database, key) : nil
        }
        guard hasLog || FileAccess.exists(DatabaseFile.side("-shm", of: database)),
            let file = try? DatabaseFile(database, writable: true)
        else { return nil }
        // Two that look at once would each take the other for a connection.
        let turn = try hasLog ? Turn(log, timeout) : nil
        defer { _ = turn }
        var hasBegun = false
        do {
            return try file.whileExclusive {
                hasBegun = true
                return try look(at: database, key, answer)
            }
        } catch let error as LockstepError where error.code == .busy && !hasBegun {
            return nil
        }
    }

    /// The same at a file that this process cannot write, and so cannot lock. In a log that somebody is writing, the
    /// newest commit can look lost.
    private static func lookUnlocked(
        at database: FilePath, _ key: borrowing DatabaseKey
    ) throws -> SetAsideLog? {
        func state() -> [FileState] {
            ["", "-wal"].map { FileState(DatabaseFile.side($0, of: database)) }
        }
        let before = state()
        do {
            return try look(at: database, key, .refuse)
        } catch let error as LockstepError where error.code == .damaged {
            guard state() == before else { return nil }
            throw error
        }
    }

    /// The only one in this process, and the only process, to look at a log.
    private final class Turn {
        /// The logs that this process looks at.
        private static let logs = Monitor<Set<ExactText>>([])

        private let log: ExactText
        // Threads wait for each other without a limit: each looks and goes on. Trying the file's lock again and again,
        // with a limit, some of many would never be the next.
        private var lock: FileLock?

        /// Nil if the log cannot be locked, as in a folder that can only be read.
        init?(_ path: FilePath, _ timeout: Duration) throws {
            log = ExactText(path.string)
            Self.logs.wait { [log] in $0.insert(log).inserted ? () : nil }
            do {
                lock = try FileLock.wait(path, creating: false, timeout: timeout) { _ in }
            } catch let error as LockstepError where error.code == .locked {
                throw LockstepError(
                    .busy, "another program is looking at \(path)", hint: "run it again", context: .file(path))
            } catch {
                return nil
            }
        }

        deinit {
            lock = nil
            Self.logs.locked { _ = $0.remove(log) }
            Self.logs.broadcast()
        }
    }

    private static func look(
        at database: FilePath, _ key: borrowing DatabaseKey, _ answer: Answer
    ) throws -> SetAsideLog? {
        let salt = try DatabaseFile(database).read(at: 0, DatabaseKey.saltLength)
        guard salt.count == DatabaseKey.saltLength else { return nil }
        let found = try LogExamination.run(
            on: database, PageAuthenticator(.current, key: key.secret, salt: salt),
            index: WriteAheadLogIndex.read(beside: database))
        let missing = try missingPages(of: database, found)
        // Under another key nothing verifies: that is for the opening to say.
        guard found.hasLoss || missing != nil, case .keyFits = try Diagnosis.examine(database, key: key) else {
            return nil
        }
        if let missing { throw otherLog(database, missing) }
        guard answer == .setAside else {
            throw LockstepError(
                .damaged, "the write-ahead log of \(database) is damaged: \(found.loss) cannot be reached",
                advice: """
                    recover what is there with \(.salvage), or restore a backup; opening the database for \
                    writing goes on without these commits, and sets the log aside first
                    """, context: .file(database))
        }
        return try SetAsideLog.make(of: database, found)
    }

    /// The pages of the database that are neither in the file nor in the log, by their number and the first of them; nil
    /// if there are none. A log is of a file that has all others. Its own words say how many there are: anyone can write
    /// them, so that pages are counted and not listed.
    private static func missingPages(
        of database: FilePath, _ found: LogExamination
    ) throws -> (count: Int, first: UInt32)? {
        guard let last = found.reached.last,
            let log = try WriteAheadLog(of: database, pageSize: Profile.current.pageSize)
        else { return nil }
        let present = UInt32(clamping: try DatabaseFile(database).size / log.pageSize)
        let count = try log.pages(after: last)
        guard present < count else { return nil }
        let lockPage = Profile.current.lockPage
        let beyond = Set(found.reached.lazy.map(\.page).filter { $0 > present && $0 <= count && $0 != lockPage })
        let hasLockPage = lockPage > present && lockPage <= count
        let missing = Int(count - present) - beyond.count - (hasLockPage ? 1 : 0)
        guard missing > 0, let first = (present + 1...count).first(where: { $0 != lockPage && !beyond.contains($0) })
        else { return nil }
        return (missing, first)
    }

    private static func otherLog(_ database: FilePath, _ missing: (count: Int, first: UInt32)) -> LockstepError {
        LockstepError(
            .damaged,
            "the write-ahead log beside \(database) is not of this file: \(counted(missing.count, "page")) of the database "
                + "are in neither, such as page \(missing.first)",
            advice: """
                an older copy was put in the place of the file, or the file was cut off. To have that copy as it is, move \
                \(database)-wal and \(database)-shm away; otherwise put the file back that the log belongs to, or \
                restore a backup
                """, context: .file(database))
    }
}

extension LogExamination {
    /// What cannot be reached, for a sentence.
    fileprivate var loss: String {
        if lostCommits > 0 { return counted(lostCommits, "commit") }
        return missingFrames > 0 ? "\(counted(missingFrames, "page")) of commits" : "all of it"
    }
}
