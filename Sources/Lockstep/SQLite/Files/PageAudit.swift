internal import Synchronization
public import SystemPackage

/// The MAC of every page of a file and its write-ahead log.
///
/// Not `PRAGMA cipher_integrity_check`: that reads only the main file, and with a wrong key or past
/// 4 GiB it answers nonsense. Nothing is decrypted.
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

    /// Reads every page once, on as many threads as there are processors; each takes 1 MiB of memory.
    /// Nothing is written, and SQLite is not involved.
    ///
    /// A database in use may be caught in the middle of a write: a page that fails is read again, and
    /// counted only if it fails three times.
    /// - Parameter progress: Told on this thread how many pages of the file are done; an error that it
    ///   throws ends the audit.
    public static func run(
        _ path: FilePath, key: borrowing DatabaseKey,
        progress: (CopyProgress) throws -> Void = { _ in }
    ) throws -> PageAudit {
        try run(path, key: key, threads: Processors.count, progress: progress)
    }

    /// - Parameter betweenLooks: Runs each time between the looks at what the log has committed and at what
    ///   follows it: for tests, which write just then.
    static func run(
        _ path: FilePath, key: borrowing DatabaseKey, threads: Int,
        progress: (CopyProgress) throws -> Void = { _ in },
        betweenLooks: () throws -> Void = {}
    ) throws -> PageAudit {
        let file = try DatabaseFile(path)
        // Under the file's own salt: a destroyed one makes every page fail, as it does for SQLCipher.
        var salt = try file.read(at: 0, DatabaseKey.saltLength)
        salt += [UInt8](repeating: 0, count: DatabaseKey.saltLength - salt.count)
        let log = try auditLog(of: path, key, salt, threads, betweenLooks)
        let total = file.size / Profile.current.pageSize
        let replaced = Set(log.pages)
        let damaged = try check(
            pieces: (total + PageReader.chunk - 1) / PageReader.chunk, of: path, "", key, salt,
            threads
        ) { piece, reader in
            try reader.damagedPages(inChunk: piece, of: total, besides: replaced)
        } progress: { done in
            try progress(CopyProgress(done: min(done * PageReader.chunk, total), total: total))
        }
        // What was cut off meanwhile, by a VACUUM for instance, is no page of the database any more.
        let left = try FileAccess.sizeOfRegularFile(path) / Profile.current.pageSize
        return PageAudit(
            pages: total, frames: log.pages.count,
            damagedPages: damaged.filter { Int($0) <= left }.sorted(),
            damagedFrames: log.damaged, uncommittedFrames: log.uncommitted,
            lostCommits: log.lostCommits,
            strayBytes: replaced.contains(UInt32(clamping: total + 1))
                ? 0 : file.size % Profile.current.pageSize)
    }

    /// What all readers together find, in no order.
    private static func check(
        pieces: Int, of path: FilePath, _ suffix: String, _ key: borrowing DatabaseKey,
        _ salt: [UInt8], _ threads: Int,
        _ work: @escaping @Sendable (Int, PageReader) throws -> [UInt32],
        progress: (Int) throws -> Void = { _ in }
    ) throws -> [UInt32] {
        var readers: [PageReader] = []
        for _ in 0..<max(min(threads, pieces), 1) {
            readers.append(
                PageReader(
                    try DatabaseFile(path, suffix: suffix),
                    try PageAuthenticator(.current, key: key.secret, salt: salt)))
        }
        let found = Found()
        try Parallel.run(
            pieces: pieces, with: readers,
            { piece, reader in
                let damaged = try work(piece, reader)
                found.pages.withLock { $0 += damaged }
            }, progress: progress)
        return found.pages.withLock { $0 }
    }

    private final class Found: Sendable {
        let pages = Mutex<[UInt32]>([])
    }

    // MARK: The log

    private struct LogAudit {
        var pages: [UInt32] = []
        var damaged: [UInt32] = []
        var uncommitted = 0
        var lostCommits = 0
    }

    /// Looks again where a writer has added to the log, or begun it anew, meanwhile.
    private static func auditLog(
        of path: FilePath, _ key: borrowing DatabaseKey, _ salt: [UInt8], _ threads: Int,
        _ betweenLooks: () throws -> Void
    ) throws -> LogAudit {
        for _ in 0..<100 {
            let log = try WriteAheadLog(of: path, pageSize: Profile.current.pageSize)
            guard let log else { return LogAudit() }
            let frames = try log.committedFrames()
            let damaged: [UInt32]
            do {
                damaged = try check(
                    pieces: (frames.count + PageReader.chunk - 1) / PageReader.chunk, of: path,
                    "-wal", key, salt, threads
                ) { piece, reader in
                    let start = piece * PageReader.chunk
                    return try reader.damagedPages(
                        frames[start..<min(start + PageReader.chunk, frames.count)])
                }
            } catch let error as LockstepError where error.code == .notFound {
                // Everything in it has reached the database, and the last to close it removed it.
                continue
            }
            let authenticator = try PageAuthenticator(.current, key: key.secret, salt: salt)
            try betweenLooks()
            let behind = try log.framesBehind(frames)
            let lost = try behind.filter(\.commits).count { frame in
                let page = try log.page(frame)
                return try authenticator.verifies(page.span, number: frame.page)
            }
            guard try log.isUnchanged() else { continue }
            // A commit that was added while we read looks cut off until the log is read once more.
            if lost > 0, try log.committedFrames().count != frames.count { continue }
            return LogAudit(
                pages: frames.map(\.page), damaged: Set(damaged).sorted(),
                uncommitted: behind.count, lostCommits: lost)
        }
        throw LockstepError(
            .busy, "the write-ahead log of \(path) changes faster than it can be read",
            hint: "run it again when less is written")
    }
}
