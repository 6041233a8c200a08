internal import SystemPackage

/// Finds the newest version of each page of a damaged file that verifies: in the write-ahead log, otherwise in
/// the file itself. It only reads, and never more than one page at a time. Without MACs, in plaintext and in files of
/// SQLCipher 1, every whole page counts.
///
/// It is a class because everything in a salvage reads through the one object that holds the key.
final class PageSource {
    let path: FilePath
    /// Bytes of a page, and those of them that SQLite uses.
    let pageSize: Int
    private(set) var usableSize: Int
    private let file: DatabaseFile
    private let log: Log?
    private let cipher: Cipher?
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

    private final class Cipher {
        let key: SecretBytes
        let profile: Profile
        let authenticator: PageAuthenticator

        init(_ profile: Profile, _ key: consuming SecretBytes, salt: [UInt8]) throws {
            authenticator = try PageAuthenticator(profile, key: key, salt: salt)
            self.profile = profile
            self.key = key
        }
    }

    private final class Log {
        let log: WriteAheadLog
        init(_ log: consuming WriteAheadLog) { self.log = log }
    }

    private let firstBytes: [UInt8]
    private var frameCount = 0

    convenience init(_ path: FilePath, key: consuming SecretBytes, salt: [UInt8], profile: Profile = .current) throws {
        try self.init(path, pageSize: profile.pageSize, reserve: profile.reserve, Cipher(profile, key, salt: salt))
        // Its header can say more than the profile.
        if profile != .current, let first = try page(1) {
            let header = FileHeader(bytes: first.bytes)
            if header.isPlausible, header.reserve > profile.reserve {
                usableSize = pageSize - header.reserve
            }
        }
    }

    /// A plaintext SQLite file.
    /// - Throws: ``LockstepError/Code/damaged`` if its header has no page size.
    convenience init(plaintext path: FilePath) throws {
        let head = try DatabaseFile(path).read(at: 0, 100)
        let field = head.count == 100 ? Int(head[16]) << 8 | Int(head[17]) : 0
        let size = field == 1 ? 65_536 : field
        guard size >= 512, size & (size - 1) == 0, size - Int(head[20]) >= 480 else {
            throw LockstepError(
                .damaged, "\(path): its header has no page size",
                hint: "restore it from a backup", context: .file(path))
        }
        try self.init(path, pageSize: size, reserve: Int(head[20]), nil)
    }

    private init(
        _ path: FilePath, pageSize: Int, reserve: Int, _ cipher: Cipher?
    ) throws {
        self.path = path
        self.pageSize = pageSize
        usableSize = pageSize - reserve
        self.cipher = cipher
        file = try DatabaseFile(path)
        pagesInFile = file.size / pageSize
        strayBytes = file.size % pageSize
        firstBytes = try file.read(at: 0, pageSize)
        log = try Self.openLog(of: path, pageSize)
        if let log {
            let found = try examination(log)
            logIsUnreadable = found.isUnreadable
            try readFrames(log, found)
        } else {
            logIsUnreadable = try Self.hasLog(path)
        }
    }

    /// Whether a page's MAC shows that it is what was written.
    var isAuthenticated: Bool { cipher?.profile.authenticates == true }

    /// The number of the page that SQLite keeps free for its locks.
    var lockPage: UInt32 { UInt32(clamping: (1 << 30) / pageSize + 1) }

    /// In other files than Lockstep's a log is read as SQLite reads it.
    private func examination(_ log: Log) throws -> LogExamination {
        if let cipher, cipher.profile == .current {
            return try LogExamination.run(on: path, cipher.authenticator)
        }
        var found = LogExamination()
        found.hasSoundHeader = log.log.hasSoundHeader
        found.reached = try log.log.committedFrames()
        return found
    }

    private func verifies(_ page: [UInt8], _ number: UInt32) throws -> Bool {
        guard let cipher, cipher.profile.authenticates else { return page.count == pageSize }
        return try cipher.authenticator.verifies(page.span, number: number)
    }

    private static func openLog(of path: FilePath, _ pageSize: Int) throws -> Log? {
        let log = try WriteAheadLog(despiteDamage: path, pageSize: pageSize)
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
            if let bytes = try readable({ try log.log.page(frame) }), try verifies(bytes, frame.page) {
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
        return all.filter { $0 != lockPage && $0 <= limit ?? .max }
    }

    /// The newest version of the page that verifies, or nil if none does.
    func page(_ number: UInt32) throws -> DecryptedPage? {
        guard number > 0, number != lockPage else { return nil }
        if let frame = logged[number], let log,
            let bytes = try readable({ try log.log.page(frame) }),
            try verifies(bytes, number)
        {
            return try decrypt(bytes, number)
        }
        guard let bytes = try inFile(number), try verifies(bytes, number) else { return nil }
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
        let sameFile = try file.read(at: 0, pageSize) == firstBytes
        let sameLog = try log.map { try $0.log.isUnchanged() } ?? true
        let now = try log ?? Self.openLog(of: path, pageSize)
        let frames = try now.map { try examination($0).committed.count } ?? 0
        guard sameFile, sameLog, frames == frameCount else {
            throw LockstepError(
                .busy, "\(path) was written to during the salvage",
                hint: "stop the programs that use it, or salvage a copy", context: .file(path))
        }
    }

    private func inFile(_ number: UInt32) throws -> [UInt8]? {
        guard number > 0, Int(number) <= pagesInFile else { return nil }
        return try readable { try file.read(at: (Int(number) - 1) * pageSize, pageSize) }
    }

    /// A page that the disk cannot read counts as damaged.
    private func readable(_ read: () throws -> [UInt8]) throws -> [UInt8]? {
        do {
            let bytes = try read()
            return bytes.count == pageSize ? bytes : nil
        } catch let error as LockstepError where error.code == .inputOutput {
            return nil
        }
    }

    private func decrypt(_ page: [UInt8], _ number: UInt32) throws -> DecryptedPage {
        let bytes = try plaintext(of: page, number)
        return DecryptedPage(number, bytes, isOutdated: superseded.contains(number))
    }

    private func plaintext(of page: [UInt8], _ number: UInt32) throws -> [UInt8] {
        guard let cipher else { return Array(page[..<usableSize]) }
        return try Array(Self.decrypted(page, number, cipher.profile, cipher.key).prefix(usableSize))
    }

    /// The plaintext of a page, without its reserve.
    static func decrypted(
        _ page: [UInt8], _ number: UInt32, _ profile: Profile, _ key: borrowing SecretBytes
    ) throws -> [UInt8] {
        let start = number == 1 ? profile.firstEncrypted : 0
        let end = profile.pageSize - profile.reserve
        let bytes = try AES256CBC.decrypt(
            page.span.extracting(start..<end), key: key.bytes,
            initialisationVector: page.span.extracting(end..<(end + Profile.vectorLength)))
        guard number == 1 else { return bytes }
        // Without a plaintext header, the salt takes the place of the magic.
        return (profile.plaintextHeader > 0 ? Array(page[..<start]) : DatabaseFile.magic) + bytes
    }
}
