internal import SystemPackage

// What a damaged log still holds
// ==============================
//
// SQLite reads a log up to its first bad frame and ignores the rest, in silence: the next commit is written over it,
// and the next checkpoint removes it. So the rest is searched for frames of the same round, which have the log's salts,
// at any offset, since bytes can be missing or inserted. A frame counts if its page has a right MAC, which nobody can
// forge without the key.
//
// - A frame whose own header is wrong counts, too, if its page has a right MAC: every place before a frame of this round
//   holds one of this round, whatever its salts say. Its number and whether it ends a transaction follow from its
//   checksum, if one bit has flipped, and otherwise the number is the one with which the MAC is right. After the last
//   frame, only one counts of which salts and checksum are almost right: what else lies there is from an earlier round.
// - The salts are those of the header, if SQLite accepts it; otherwise those of the log's index, if a killed process
//   left one; otherwise those of the first frame that verifies.
// - Commits after the first bad frame are lost to SQLite. One exception: if SQLite reaches nothing of the log, and the
//   database already has the last version of every page in it, then a checkpoint was complete, and nothing is lost.
// - A last commit whose own frame does not verify is incomplete. Either it was being written when the power went, and
//   then nobody was promised that it is durable, or it was damaged later. Only the index can show which.
// - Frames that the index counts, and that are neither reached nor found, are missing.

/// A write-ahead log, frame by frame: which of its commits SQLite reaches, and which are there all the same.
struct LogExamination: Sendable {
    typealias Frame = WriteAheadLog.Frame

    /// Whether SQLite accepts the log's header.
    var hasSoundHeader = true
    /// Whether the log has room for a commit, SQLite accepts its header not, and no frame of it can be recognised.
    var isUnreadable = false
    /// The frames up to the last commit that SQLite reaches.
    var reached: [Frame] = []
    /// Later frames of this round, in the order of their places.
    var later: [Frame] = []
    /// The offsets of those whose page does not verify.
    var unverified: Set<Int> = []
    /// Places for a frame after the last reached one, and before a later one of this round, that hold none.
    var unrecognised = 0
    /// Commits that SQLite does not reach.
    var lostCommits = 0
    /// Commits after the last reached one whose own frame does not verify or is cut off.
    var incompleteCommits = 0
    /// Frames that the log had and that are not there.
    var missingFrames = 0

    /// Whether a commit that was acknowledged cannot be reached.
    var hasLoss: Bool { lostCommits > 0 || missingFrames > 0 || isUnreadable }

    /// Frames after the last commit, from a transaction that never ended.
    var uncommitted: Int { hasLoss ? 0 : later.count }

    /// Every frame of this round that is committed by itself or a later one, reached or not.
    var committed: [Frame] {
        let last = later.lastIndex(where: \.commits).map { $0 + 1 } ?? 0
        return reached + later[..<last]
    }

    /// Examines the log of `database`, which nobody should be writing to. Reads it once, and what follows its first bad
    /// frame a second time.
    /// - Parameter index: What the log's index said before a connection rebuilt it.
    static func run(
        on database: FilePath, _ authenticator: borrowing PageAuthenticator, index: WriteAheadLogIndex? = nil
    ) throws -> LogExamination {
        let log = try WriteAheadLog(despiteDamage: database, pageSize: Profile.current.pageSize)
        guard let log else {
            var found = LogExamination()
            if let index, index.frames > index.copied { found.missingFrames = index.frames }
            return found
        }
        return try run(on: database, log, reached: log.committedFrames(), authenticator, index: index)
    }

    /// The same for an open log whose reached frames are known.
    static func run(
        on database: FilePath, _ log: borrowing WriteAheadLog, reached: [Frame],
        _ authenticator: borrowing PageAuthenticator, index: WriteAheadLogIndex? = nil
    ) throws -> LogExamination {
        var found = LogExamination()
        found.hasSoundHeader = log.hasSoundHeader
        found.reached = reached
        let start = reached.last.map { $0.offset + log.pageSize } ?? 32
        guard let salts = try salts(log, authenticator, index) else {
            found.isUnreadable = log.file.size >= WriteAheadLog.smallestCommit(pageSize: log.pageSize)
            return found
        }
        try found.find(salts, in: log, from: start, authenticator)
        if reached.isEmpty, !found.later.isEmpty, try found.isCopied(from: log, to: database) {
            return found
        }
        found.count(index?.salts == salts ? index : nil)
        return found
    }

    private mutating func count(_ index: WriteAheadLogIndex?) {
        lostCommits = later.count { $0.commits && !unverified.contains($0.offset) }
        guard let index else { return }
        // Of a log that was copied completely, only a reached part would hide newer pages.
        let all = index.copied == index.frames && reached.isEmpty ? 0 : index.frames
        missingFrames = max(all - reached.count - later.count, 0)
        // What the index counts was acknowledged.
        if reached.count + later.count - unverified.count < all {
            lostCommits += incompleteCommits
            incompleteCommits = 0
        }
    }

    private static func salts(
        _ log: borrowing WriteAheadLog, _ authenticator: borrowing PageAuthenticator, _ index: WriteAheadLogIndex?
    ) throws -> [UInt8]? {
        if log.hasSoundHeader { return log.salts }
        if let index, index.frames > 0 { return index.salts }
        let length = WriteAheadLog.frameHeader + log.pageSize
        for offset in stride(from: 32, through: log.file.size - length, by: length) {
            let head = try log.file.read(at: offset, WriteAheadLog.frameHeader)
            let frame = WriteAheadLog.frame(head, at: offset)
            let page = try log.page(frame)
            if try authenticator.verifies(page.span, number: frame.page) {
                return Array(head[8..<16])
            }
        }
        return nil
    }

    private mutating func find(
        _ salts: [UInt8], in log: borrowing WriteAheadLog, from start: Int, _ authenticator: borrowing PageAuthenticator
    ) throws {
        let length = WriteAheadLog.frameHeader + log.pageSize
        var (place, expected) = (start, start)
        var judge = FrameJudge(pages: pages(in: log))
        while let offset = try log.head(with: salts, from: place) {
            for place in stride(from: expected, through: offset - length, by: length) {
                if let frame = try judge.frame(at: place, in: log, authenticator) {
                    later.append(frame)
                } else {
                    unrecognised += 1
                }
            }
            let head = try log.file.read(at: offset, WriteAheadLog.frameHeader)
            let frame = WriteAheadLog.frame(head, at: offset)
            guard offset + length <= log.file.size else {
                if frame.commits { incompleteCommits += 1 }
                return
            }
            let page = try log.page(frame)
            if try authenticator.verifies(page.span, number: frame.page) {
                let corrected = try log.corrected(head, at: offset, page: page)
                // exact: numbers of pages
                later.append(corrected?.page == frame.page ? corrected ?? frame : frame)
                place = offset + length
            } else if let frame = try judge.neighbour(at: offset, in: log, authenticator) {
                later.append(frame)
                place = offset + length
            } else {
                later.append(frame)
                unverified.insert(frame.offset)
                if frame.commits { incompleteCommits += 1 }
                // Bytes can be missing in it: the next one can begin before its end.
                place = offset + WriteAheadLog.frameHeader
            }
            expected = offset + length
        }
        while let frame = try judge.last(at: expected, salts, in: log, authenticator) {
            later.append(frame)
            expected += length
        }
    }

    /// The highest number that a page can have, as far as the log shows it.
    private func pages(in log: borrowing WriteAheadLog) -> UInt32 {
        let most = reached.map(\.page).max() ?? 0
        return max(most, UInt32(clamping: log.file.size / log.pageSize))
    }

    /// Whether the database has the last version of every page in the log.
    private func isCopied(
        from log: borrowing WriteAheadLog, to database: FilePath
    ) throws -> Bool {
        let database = try DatabaseFile(database)
        guard unverified.isEmpty, unrecognised == 0, incompleteCommits == 0 else { return false }
        var last: [UInt32: Frame] = [:]
        for frame in committed { last[frame.page] = frame }
        for frame in last.values {
            let place = (Int(frame.page) - 1) * log.pageSize
            guard try database.read(at: place, log.pageSize) == log.page(frame) else {
                return false
            }
        }
        return true
    }
}

extension WriteAheadLog {
    /// The first place from `start` on at which a frame with these salts begins, wherever that is.
    fileprivate func head(with salts: [UInt8], from start: Int) throws -> Int? {
        let head = try file.read(at: start, Self.frameHeader)
        guard head.count == Self.frameHeader else { return nil }
        if Array(head[8..<16]) == salts { return start }
        let wanted = unsafe salts.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt64.self) }
        // The next frame is mostly one frame away: small pieces first.
        var piece = 16 * 1024
        var offset = start + 9
        while true {
            var bytes = [UInt8](repeating: 0, count: piece)
            let count = try file.read(at: offset, into: &bytes)
            guard count >= 8 else { return nil }
            let place = unsafe bytes.withUnsafeBytes { bytes -> Int? in
                for at in 0...(count - 8)
                where unsafe bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self) == wanted {
                    return at
                }
                return nil
            }
            if let place { return offset + place - 8 }
            offset += count - 7
            piece = min(piece * 2, 1 << 20)
        }
    }
}

/// Judges frames whose own header is wrong by the MACs of their pages.
private struct FrameJudge {
    typealias Frame = WriteAheadLog.Frame

    /// The highest number that a page can have.
    let pages: UInt32
    /// How many MACs are tried for pages of which nothing shows the number: some seconds' worth.
    private var left = 1 << 18

    init(pages: UInt32) { self.pages = pages }

    /// The frame that lies there, whatever its header says; nil if its page verifies under no number.
    mutating func frame(
        at offset: Int, in log: borrowing WriteAheadLog, _ authenticator: borrowing PageAuthenticator
    ) throws -> Frame? {
        if let frame = try neighbour(at: offset, in: log, authenticator) { return frame }
        let (head, page) = try read(at: offset, in: log)
        guard page.count == log.pageSize else { return nil }
        for number in 1...max(pages, 1) {
            guard left > 0 else { return nil }
            left -= 1
            guard try authenticator.verifies(page.span, number: number) else { continue }
            return Frame(page: number, offset: offset + head.count, commits: false)
        }
        return nil
    }

    /// The same for a header in which at most one bit is wrong besides the salts and the checksum.
    mutating func neighbour(
        at offset: Int, in log: borrowing WriteAheadLog, _ authenticator: borrowing PageAuthenticator
    ) throws -> Frame? {
        let (head, page) = try read(at: offset, in: log)
        guard page.count == log.pageSize else { return nil }
        if let frame = try log.corrected(head, at: offset, page: page),
            try authenticator.verifies(page.span, number: frame.page)
        {
            return frame
        }
        let stored = WriteAheadLog.frame(head, at: offset)
        let numbers = [stored.page] + (0..<32).map { stored.page ^ (1 << UInt32($0)) }
        for number in numbers where number > 0 {
            guard left > 0 else { return nil }
            left -= 1
            guard try authenticator.verifies(page.span, number: number) else { continue }
            return Frame(page: number, offset: stored.offset, commits: stored.commits)
        }
        return nil
    }

    /// The frame after the last one: only if its salts differ in a few bits, and its checksum goes on from the last.
    func last(
        at offset: Int, _ salts: [UInt8], in log: borrowing WriteAheadLog, _ authenticator: borrowing PageAuthenticator
    ) throws -> Frame? {
        let (head, page) = try read(at: offset, in: log)
        guard page.count == log.pageSize else { return nil }
        let differing = zip(head[8..<16], salts).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
        guard differing <= Self.flippedBits, let frame = try log.corrected(head, at: offset, page: page),
            try authenticator.verifies(page.span, number: frame.page)
        else { return nil }
        return frame
    }

    /// More than these differ in the salts of two rounds, one of which is random.
    private static let flippedBits = 4

    private func read(at offset: Int, in log: borrowing WriteAheadLog) throws -> (head: [UInt8], page: [UInt8]) {
        let head = try log.file.read(at: offset, WriteAheadLog.frameHeader)
        guard head.count == WriteAheadLog.frameHeader else { return (head, []) }
        return (head, try log.file.read(at: offset + head.count, log.pageSize))
    }
}
