// The parts of SQLite's WAL format that this code uses (its `wal.c` and the page "WAL-mode File Format"):
//
//   header, 32 bytes    0 magic 0x377f0682 (checksums in little-endian words) or …83 (big-endian)
//                       8 page size · 16 two salts · 24 two checksums over the first 24 bytes
//   each frame          0 page number · 4 pages in the database after a commit, else 0
//                       8 the two salts · 16 two checksums over bytes 0..<8 and the page, continued
//                       from the frame before · 24 the page
//
// A frame counts if its salts match the header's, its checksums match, and it or a later frame commits. Later
// bytes do not belong to the database: frames with other salts remain from earlier rounds; frames with the same
// salts belong to a transaction that never ended, or were cut off by damage: see `LogExamination`.

internal import SystemPackage

/// The pages that a write-ahead log holds in addition to the database file.
struct WriteAheadLog: ~Copyable {
    let file: DatabaseFile
    let pageSize: Int
    private let header: [UInt8]
    /// Whether SQLite accepts the header. If not, it ignores the whole log.
    let hasSoundHeader: Bool
    /// The salts of this round's frames, as the header has them.
    var salts: [UInt8] { Array(header[16..<24]) }

    /// The position of a committed frame's page in the log, and its page number in the database.
    struct Frame: Sendable, Equatable {
        let page: UInt32
        let offset: Int
        /// Whether the frame ends a transaction.
        let commits: Bool
    }

    /// Bytes before a frame's page.
    static let frameHeader = 24

    /// Bytes of the shortest log that holds a commit: its header and one frame.
    static func smallestCommit(pageSize: Int) -> Int { 32 + frameHeader + pageSize }

    /// Nil if there is no log, or if it is empty or unreadable to SQLite.
    init?(of database: FilePath, pageSize: Int) throws {
        let log = try Self(despiteDamage: database, pageSize: pageSize)
        guard let log, Self.begins(log.header, pageSize) else { return nil }
        self = log
    }

    /// Nil only if there is no log, or if it is shorter than a header.
    init?(despiteDamage database: FilePath, pageSize: Int) throws {
        let file: DatabaseFile
        do {
            file = try DatabaseFile(database, suffix: "-wal")
        } catch let error as LockstepError where error.code == .notFound {
            return nil
        }
        let header = try file.read(at: 0, 32)
        guard header.count == 32 else { return nil }
        self.file = file
        self.pageSize = pageSize
        self.header = header
        var sum = Checksum(header[3] & 1 == 1)
        sum.add(header.span.extracting(..<24))
        hasSoundHeader = Self.begins(header, pageSize) && sum.matches(header[24..<32])
    }

    private static func begins(_ header: [UInt8], _ pageSize: Int) -> Bool {
        word(header, 8, bigEndian: true) == UInt32(pageSize)
            && [0x377F_0682, 0x377F_0683].contains(word(header, 0, bigEndian: true))
    }

    /// Whether the log is still in the round in which it was opened. A writer can restart it at any time once
    /// all its frames have reached the database.
    func isUnchanged() throws -> Bool { try file.read(at: 0, 32) == header }

    static func frame(_ head: [UInt8], at offset: Int) -> Frame {
        Frame(page: word(head, 0, bigEndian: true), offset: offset + 24, commits: word(head, 4, bigEndian: true) != 0)
    }

    /// The number of pages that the database has after a frame that commits.
    func pages(after frame: Frame) throws -> UInt32 {
        Self.word(try file.read(at: frame.offset - Self.frameHeader, Self.frameHeader), 4, bigEndian: true)
    }

    /// The frames up to the last commit.
    func committedFrames() throws -> [Frame] {
        guard hasSoundHeader else { return [] }
        var sum = Checksum(header[3] & 1 == 1)
        sum.add(header.span.extracting(..<24))
        var frames: [Frame] = []
        var committed = 0
        var offset = 32
        let length = Self.frameHeader + pageSize
        // 1 MiB at a time, in whole frames.
        var buffer = [UInt8](repeating: 0, count: (1 << 20) / length * length)
        while true {
            let count = try file.read(at: offset, into: &buffer)
            for start in stride(from: 0, through: count - length, by: length) {
                let head = buffer[start..<start + Self.frameHeader]
                guard head.dropFirst(8).prefix(8) == header[16..<24] else {
                    return Array(frames[..<committed])
                }
                sum.add(buffer.span.extracting(start..<start + 8))
                sum.add(buffer.span.extracting(start + Self.frameHeader..<start + length))
                guard sum.matches(head.dropFirst(16)) else { return Array(frames[..<committed]) }
                frames.append(Self.frame(Array(head), at: offset + start))
                if frames.last?.commits == true { committed = frames.count }
            }
            guard count == buffer.count else { return Array(frames[..<committed]) }
            offset += count
        }
    }

    /// What a frame with a bit that has flipped in the header was, by its checksum, which goes on from that of the frame
    /// before it. The salts have no checksum. Nil if none of these fits.
    func corrected(_ head: [UInt8], at offset: Int, page: [UInt8]) throws -> Frame? {
        let before =
            offset == 32
            ? Array(header[24..<32]) : try file.read(at: offset - Self.frameHeader - pageSize + 16, 8)
        guard before.count == 8, head.count == Self.frameHeader else { return nil }
        for bit in -1..<64 {
            var start = Array(head[..<8])
            if bit >= 0 { start[bit / 8] ^= 1 << UInt8(bit % 8) }
            var sum = Checksum(header[3] & 1 == 1, after: before)
            sum.add(start.span)
            sum.add(page.span)
            if sum.matches(head[16..<24]) { return Self.frame(start, at: offset) }
        }
        return nil
    }

    /// The bytes of a frame's page.
    func page(_ frame: Frame) throws -> [UInt8] { try file.read(at: frame.offset, pageSize) }

    private static func word(_ bytes: [UInt8], _ at: Int, bigEndian: Bool) -> UInt32 {
        Checksum.word(bytes[at..<(at + 4)], bigEndian)
    }

    private struct Checksum {
        let bigEndian: Bool
        var first: UInt32 = 0
        var second: UInt32 = 0

        init(_ bigEndian: Bool) { self.bigEndian = bigEndian }

        /// Goes on from a checksum as it is stored.
        init(_ bigEndian: Bool, after stored: [UInt8]) {
            self.init(bigEndian)
            (first, second) = (Self.word(stored[..<4], true), Self.word(stored[4...], true))
        }

        mutating func add(_ bytes: Span<UInt8>) {
            unsafe bytes.withUnsafeBytes { bytes in
                for at in stride(from: 0, through: bytes.count - 8, by: 8) {
                    let one = unsafe bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)
                    let two = unsafe bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)
                    first &+= (bigEndian ? one.bigEndian : one.littleEndian) &+ second
                    second &+= (bigEndian ? two.bigEndian : two.littleEndian) &+ first
                }
            }
        }

        func matches(_ bytes: ArraySlice<UInt8>) -> Bool {
            let middle = bytes.startIndex + 4
            return Self.word(bytes[..<middle], true) == first && Self.word(bytes[middle...], true) == second
        }

        static func word(_ bytes: ArraySlice<UInt8>, _ bigEndian: Bool) -> UInt32 {
            let ordered = bigEndian ? Array(bytes) : bytes.reversed()
            return ordered.reduce(0) { $0 << 8 | UInt32($1) }
        }
    }
}
