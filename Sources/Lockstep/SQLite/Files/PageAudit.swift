internal import Synchronization
public import SystemPackage

/// Verifies the MAC of every page of a file and its write-ahead log.
///
/// This does not use `PRAGMA cipher_integrity_check`, which reads only the main file, and returns wrong results
/// with a wrong key or beyond 4 GiB. Nothing is decrypted.
public struct PageAudit: Sendable, Hashable {
    /// The main file.
    public let path: FilePath

    /// An audit of the file at `path`. Nothing runs yet.
    public init(_ path: FilePath) { self.path = path }

    /// Reads every page once, on as many threads as there are processors; each takes 1 MiB of memory. Nothing
    /// is written, and SQLite is not involved.
    ///
    /// A database in use can be read in the middle of a write: a page that fails is read again, and counts only
    /// if it fails three times.
    /// - Parameters:
    ///   - key: The database's key.
    ///   - progress: Called with the number of finished pages.
    /// - Throws: ``LockstepError/Code/notFound``, ``LockstepError/Code/notAFile``, ``LockstepError/Code/inputOutput``
    ///   if the file cannot be read; ``LockstepError/Code/busy`` if the log changes faster than it can be read;
    ///   `CancellationError`; any error from `progress`. Damaged pages are in the report.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    package func run(
        key: borrowing DatabaseKey, progress: JobProgress.Handler = { _ in }
    ) throws -> PageAuditReport {
        try run(key: key, threads: Processors.count) { try $0.report(to: progress) }
    }

    /// Fails unless every page verifies. Cancelling the task does not end it.
    @discardableResult
    func requireClean(_ key: borrowing DatabaseKey) throws -> PageAuditReport {
        let report = try run(key: key, threads: Processors.count)
        guard report.isClean else {
            if let error = try Diagnosis.examine(path, key: key).error(path) { throw error }
            let pages = report.damagedPages.pageList
            throw LockstepError(
                .damaged, "\(path) is damaged: \(pages.isEmpty ? "its log or end" : "pages \(pages)")",
                advice: "run \(.verify) on it, or recover its readable rows with \(.salvage)", context: .file(path))
        }
        return report
    }

    /// Runs `body`. SQLCipher reports a page that does not verify as a generic error: if `body` fails with one, names
    /// the damaged pages of the file.
    func namingDamage<Result>(
        _ key: borrowing DatabaseKey, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as LockstepError where [.sqlFailed, .damaged].contains(error.code) {
            try requireClean(key)
            throw error
        }
    }

    /// - Parameters:
    ///   - index: What the log's index said before a connection rebuilt it.
    ///   - betweenLooks: Runs between reading the log's commits and reading what follows them: for tests, which
    ///     write at that moment.
    func run(
        key: borrowing DatabaseKey, threads: Int, index: WriteAheadLogIndex? = nil,
        progress: JobProgress.Handler = { _ in }, betweenLooks: () throws -> Void = {}
    ) throws -> PageAuditReport {
        let time = JobTime()
        let file = try DatabaseFile(path)
        // Under the file's own salt: if it is destroyed, every page fails, as with SQLCipher.
        var salt = try file.read(at: 0, DatabaseKey.saltLength)
        salt += [UInt8](repeating: 0, count: DatabaseKey.saltLength - salt.count)
        let log = try Self.auditLog(of: path, key, salt, threads, index, betweenLooks)
        let found = log.found
        let total = file.size / Profile.current.pageSize
        let replaced = Set(log.pages)
        let damaged = try Self.check(
            pieces: (total + PageReader.chunk - 1) / PageReader.chunk, of: path, "", key, salt, threads
        ) { piece, reader in
            try reader.damagedPages(inChunk: piece, of: total, besides: replaced)
        } progress: { done in
            try progress(
                JobProgress(
                    .examining, min(done * PageReader.chunk, total), of: total, .pages))
        }
        // Pages that were truncated meanwhile, for example by a VACUUM, no longer belong to the database.
        let left = try FileAccess.sizeOfRegularFile(path) / Profile.current.pageSize
        return PageAuditReport(
            pages: total, frames: log.pages.count,
            damagedPages: damaged.filter { Int($0) <= left }.sorted(),
            damagedFrames: log.damaged, uncommittedFrames: found.uncommitted,
            lostCommits: found.lostCommits, incompleteCommits: found.incompleteCommits,
            missingFrames: found.missingFrames, isLogUnreadable: found.isUnreadable,
            isLogHeaderDamaged: !found.hasSoundHeader,
            strayBytes: replaced.contains(UInt32(clamping: total + 1))
                ? 0 : file.size % Profile.current.pageSize,
            time: time.ended())
    }

    /// The findings of all readers, in no order.
    private static func check(
        pieces: Int, of path: FilePath, _ suffix: String, _ key: borrowing DatabaseKey, _ salt: [UInt8], _ threads: Int,
        _ work: @escaping @Sendable (Int, PageReader) throws -> [UInt32], progress: (Int) throws -> Void = { _ in }
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
        var found: LogExamination
    }

    /// Starts over if a writer has extended or restarted the log meanwhile.
    private static func auditLog(
        of path: FilePath, _ key: borrowing DatabaseKey, _ salt: [UInt8], _ threads: Int,
        _ index: WriteAheadLogIndex?, _ betweenLooks: () throws -> Void
    ) throws -> LogAudit {
        let authenticator = try PageAuthenticator(.current, key: key.secret, salt: salt)
        for _ in 0..<100 {
            let log = try WriteAheadLog(despiteDamage: path, pageSize: Profile.current.pageSize)
            guard let log else {
                return LogAudit(
                    found: try LogExamination.run(on: path, authenticator, index: index))
            }
            let frames = try log.committedFrames()
            let damaged: [UInt32]
            do {
                damaged = try check(
                    pieces: (frames.count + PageReader.chunk - 1) / PageReader.chunk, of: path,
                    "-wal", key, salt, threads
                ) { piece, reader in
                    let start = piece * PageReader.chunk
                    return try reader.damagedPages(frames[start..<min(start + PageReader.chunk, frames.count)])
                }
            } catch let error as LockstepError where error.code == .notFound {
                // All its frames have reached the database, and the last connection to close removed it.
                continue
            }
            try betweenLooks()
            let found = try LogExamination.run(on: path, log, reached: frames, authenticator, index: index)
            guard try log.isUnchanged() else { continue }
            // A commit that was added during the read looks cut off until the log is read again.
            if found.hasLoss || found.incompleteCommits > 0, try log.committedFrames().count != frames.count {
                continue
            }
            return LogAudit(pages: frames.map(\.page), damaged: Set(damaged).sorted(), found: found)
        }
        throw LockstepError(
            .busy, "the write-ahead log of \(path) changes faster than it can be read",
            hint: "run it again when there are fewer writes", context: .file(path))
    }
}

extension JobProgress.Phase {
    /// Pages of a file are read and verified.
    public static let examining = Self("examining")
}
