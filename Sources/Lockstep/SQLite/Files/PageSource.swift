internal import SystemPackage

/// Finds the newest version of each page of a damaged file that verifies: in the write-ahead log, otherwise in
/// the file itself. It only reads, and never more than one page at a time.
///
/// It is a class because everything in a salvage reads through the one object that holds the key.
final class PageSource {
    let path: FilePath
    private let file: DatabaseFile
    private let log: Log?
    private let key: SecretBytes
    private let authenticator: PageAuthenticator
    private var logged: [UInt32: WriteAheadLog.Frame] = [:]
    /// Pages with a newer version in the log that cannot be read.
    private var superseded: Set<UInt32> = []

    /// Whole pages in the file.
    let pagesInFile: Int
    /// Bytes after the last whole page.
    let strayBytes: Int
    /// Whether a log exists of which no frame can be recognised.
    private(set) var logIsUnreadable = false
    /// Pages of the log that cannot be read; their numbers can be unknown.
    private(set) var unreadableFrames = 0

    private final class Log {
        let log: WriteAheadLog
        init(_ log: consuming WriteAheadLog) { self.log = log }
    }

    private let firstBytes: [UInt8]
    private var frameCount = 0

    init(_ path: FilePath, key: consuming SecretBytes, salt: [UInt8]) throws {
        self.path = path
        file = try DatabaseFile(path)
        authenticator = try PageAuthenticator(.current, key: key, salt: salt)
        self.key = key
        pagesInFile = file.size / Profile.current.pageSize
        strayBytes = file.size % Profile.current.pageSize
        firstBytes = try file.read(at: 0, Profile.current.pageSize)
        log = try Self.openLog(of: path)
        if let log {
            let found = try LogExamination.run(on: path, authenticator)
            logIsUnreadable = found.isUnreadable
            try readFrames(log, found)
        } else {
            logIsUnreadable = try Self.hasLog(path)
        }
    }

    private static func openLog(of path: FilePath) throws -> Log? {
        let log = try WriteAheadLog(
            despiteDamage: path, pageSize: Profile.current.pageSize)
        guard let log else { return nil }
        return Log(log)
    }

    private static func hasLog(_ path: FilePath) throws -> Bool {
        let side = DatabaseFile.side("-wal", of: path)
        return try FileAccess.exists(side) && FileAccess.sizeOfRegularFile(side) > 0
    }

    private func readFrames(_ log: Log, _ found: LogExamination) throws {
        let frames = found.committed
        unreadableFrames = found.unrecognised
        frameCount = frames.count
        // A frame that is not there leaves no trace but the checksums after it.
        defer {
            if found.hasSoundHeader, found.lostCommits > 0 {
                unreadableFrames = max(unreadableFrames, 1)
            }
        }
        for frame in frames {
            if let bytes = try readable({ try log.log.page(frame) }),
                try authenticator.verifies(bytes.span, number: frame.page)
            {
                logged[frame.page] = frame
                superseded.remove(frame.page)
            } else {
                unreadableFrames += 1
                superseded.insert(frame.page)
            }
        }
    }

    /// The numbers of all pages, ascending; pages that only the log has come last.
    func numbers(upTo limit: UInt32?) -> [UInt32] {
        let inFile = UInt32(clamping: pagesInFile)
        let beyond = logged.keys.filter { $0 > inFile }.sorted()
        let all = (inFile > 0 ? Array(1...inFile) : []) + beyond
        return all.filter { $0 != Profile.current.lockPage && $0 <= limit ?? .max }
    }

    /// The newest version of the page that verifies, or nil if none does.
    func page(_ number: UInt32) throws -> DecryptedPage? {
        guard number > 0, number != Profile.current.lockPage else { return nil }
        if let frame = logged[number], let log,
            let bytes = try readable({ try log.log.page(frame) }),
            try authenticator.verifies(bytes.span, number: number)
        {
            return try decrypt(bytes, number)
        }
        guard let bytes = try inFile(number),
            try authenticator.verifies(bytes.span, number: number)
        else { return nil }
        return try decrypt(bytes, number)
    }

    /// The content in the place of page 1, although its MAC fails: a changed byte garbles only its own block of
    /// 16 bytes and one byte of the next.
    func unverifiedFirstPage() throws -> DecryptedPage? {
        guard let bytes = try inFile(1) else { return nil }
        return try decrypt(bytes, 1)
    }

    /// - Throws: ``LockstepError/Code/busy`` if another process has written meanwhile: the pages that were read
    ///   can then be inconsistent.
    func requireUnchanged() throws {
        let sameFile = try file.read(at: 0, Profile.current.pageSize) == firstBytes
        let sameLog = try log.map { try $0.log.isUnchanged() } ?? true
        let frames = try LogExamination.run(on: path, authenticator).committed.count
        guard sameFile, sameLog, frames == frameCount else {
            throw LockstepError(
                .busy, "\(path) was written to during the salvage",
                hint: "stop the programs that use it, or salvage a copy", context: .file(path))
        }
    }

    private func inFile(_ number: UInt32) throws -> [UInt8]? {
        guard number > 0, Int(number) <= pagesInFile else { return nil }
        let size = Profile.current.pageSize
        return try readable { try file.read(at: (Int(number) - 1) * size, size) }
    }

    /// A page that the disk cannot read counts as damaged.
    private func readable(_ read: () throws -> [UInt8]) throws -> [UInt8]? {
        do {
            let bytes = try read()
            return bytes.count == Profile.current.pageSize ? bytes : nil
        } catch let error as LockstepError where error.code == .inputOutput {
            return nil
        }
    }

    private func decrypt(_ page: [UInt8], _ number: UInt32) throws -> DecryptedPage {
        let bytes = try Self.plaintext(of: page, number, key)
        return DecryptedPage(number, bytes, isOutdated: superseded.contains(number))
    }

    private static func plaintext(
        of page: [UInt8], _ number: UInt32, _ key: borrowing SecretBytes
    ) throws -> [UInt8] {
        let end = DecryptedPage.usableSize
        // The salt takes the place of the magic, which is not secret.
        let start = number == 1 ? DatabaseKey.saltLength : 0
        let bytes = try AES256CBC.decrypt(
            page.span.extracting(start..<end), key: key.bytes,
            initialisationVector: page.span.extracting(end..<(end + Profile.vectorLength)))
        return number == 1 ? DatabaseFile.magic + bytes : bytes
    }
}
