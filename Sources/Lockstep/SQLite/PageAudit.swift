public import SystemPackage

/// The MAC of every page of a file and its write-ahead log.
///
/// Not `PRAGMA cipher_integrity_check`: that reads only the main file, and with a wrong key or past
/// 4 GiB it answers nonsense.
public struct PageAudit: Sendable, Hashable {
    /// Pages in the main file.
    public let pages: Int
    /// Committed pages in the write-ahead log.
    public let frames: Int
    /// Numbers of the pages of the main file whose MAC fails, in ascending order. Pages that the log
    /// replaces are not looked at.
    public let damagedPages: [UInt32]
    /// Numbers of the pages whose copy in the log fails.
    public let damagedFrames: [UInt32]
    /// Pages in the log behind its last commit, of a transaction that never ended.
    public let uncommittedFrames: Int
    /// Commits in the log that a damaged page before them cuts off: SQLite passes over them.
    public let lostCommits: Int
    /// Bytes behind the last whole page. Those of a page that the log replaces are not looked at: a
    /// checkpoint that was killed leaves them.
    public let strayBytes: Int

    /// Whether everything verified.
    public var isClean: Bool {
        damagedPages.isEmpty && damagedFrames.isEmpty && lostCommits == 0 && strayBytes == 0
    }

    /// Reads every page once. Nothing is written, and SQLite is not involved.
    ///
    /// A database in use may be caught in the middle of a write: a page that fails is read again, and
    /// counted only if it fails three times.
    public static func run(_ path: FilePath, key: borrowing DatabaseKey) throws -> PageAudit {
        let file = try DatabaseFile(path)
        // Under the file's own salt: a destroyed one makes every page fail, as it does for SQLCipher.
        var salt = try file.read(at: 0, DatabaseKey.saltLength)
        salt += [UInt8](repeating: 0, count: DatabaseKey.saltLength - salt.count)
        let authenticator = try PageAuthenticator(.current, key: key.secret, salt: salt)
        let log = try auditLog(of: path, authenticator)
        let replaced = Set(log.pages)
        let pageSize = Profile.current.pageSize
        let pageCount = file.size / pageSize
        var damagedPages: [UInt32] = []
        for index in 0..<pageCount {
            let number = UInt32(clamping: index + 1)
            guard !replaced.contains(number), number != Profile.current.lockPage else { continue }
            var good = false
            for _ in 0..<attempts where !good {
                let page = try file.read(at: index * pageSize, pageSize)
                good = try authenticator.verifies(page.span, number: number)
            }
            if !good { damagedPages.append(number) }
        }
        return PageAudit(
            pages: pageCount, frames: log.pages.count, damagedPages: damagedPages,
            damagedFrames: log.damaged, uncommittedFrames: log.uncommitted,
            lostCommits: log.lostCommits,
            strayBytes: replaced.contains(UInt32(clamping: pageCount + 1))
                ? 0 : file.size % pageSize
        )
    }

    private static let attempts = 3

    private struct LogAudit {
        var pages: [UInt32] = []
        var damaged: [UInt32] = []
        var uncommitted = 0
        var lostCommits = 0
    }

    /// Looks again where a writer has added to the log, or begun it anew, meanwhile.
    private static func auditLog(
        of path: FilePath, _ authenticator: borrowing PageAuthenticator
    ) throws -> LogAudit {
        for _ in 0..<100 {
            let log = try WriteAheadLog(of: path, pageSize: Profile.current.pageSize)
            guard let log else { return LogAudit() }
            let outcome = try audit(log, authenticator)
            guard try log.isUnchanged() else { continue }
            // A commit that was added while we read looks cut off until the log is read once more.
            if outcome.lostCommits > 0, try log.committedFrames().count != outcome.pages.count {
                continue
            }
            return outcome
        }
        throw LockstepError(
            .busy, "the write-ahead log of \(path) changes faster than it can be read",
            hint: "run it again when less is written")
    }

    private static func audit(
        _ log: borrowing WriteAheadLog, _ authenticator: borrowing PageAuthenticator
    ) throws -> LogAudit {
        let frames = try log.committedFrames()
        var damaged: Set<UInt32> = []
        for frame in frames {
            let page = try log.page(frame)
            if try !authenticator.verifies(page.span, number: frame.page) {
                damaged.insert(frame.page)
            }
        }
        let behind = try log.framesBehind(frames)
        let lost = try behind.filter(\.commits).count { frame in
            let page = try log.page(frame)
            return try authenticator.verifies(page.span, number: frame.page)
        }
        return LogAudit(
            pages: frames.map(\.page), damaged: damaged.sorted(), uncommitted: behind.count,
            lostCommits: lost)
    }
}
