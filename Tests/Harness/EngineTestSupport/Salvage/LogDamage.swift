import SystemPackage
import TestSupport

@testable import Lockstep

/// A database that a killed process left: 20 orders, one commit each, are in its log and nowhere else.
struct LoggedOrders {
    static let orders = 20
    let scratch: DatabaseScratch
    /// The files of the killed process: the database, its log, its log's index.
    private let files: [(suffix: String, bytes: [UInt8])]
    let log: LogFile

    init() throws {
        let scratch = try DatabaseScratch()
        self.scratch = scratch
        let connection = try scratch.create()
        try connection.execute("PRAGMA wal_autocheckpoint = 0")
        try connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, what TEXT NOT NULL)")
        try connection.checkpoint(.truncate)
        for order in 1...Self.orders {
            try connection.execute("INSERT INTO orders VALUES (?, ?)", order, SalvageScratch.text(order, length: 900))
        }
        let left = try DatabaseFile.suffixes.prefix(3).map { suffix in
            (suffix: suffix, bytes: try Bytes.read(scratch.side(suffix)))
        }
        files = left
        log = LogFile(bytes: left[1].bytes)
    }

    /// Puts the files at a new path, with another log.
    func put(_ log: [UInt8], hasIndex: Bool, as name: String) throws -> FilePath {
        let path = scratch.folder.file(name)
        DatabaseScratch.remove(path)
        try Bytes.write(files[0].bytes, to: path)
        try Bytes.write(log, to: FilePath(path.string + "-wal"))
        if hasIndex { try Bytes.write(files[2].bytes, to: FilePath(path.string + "-shm")) }
        return path
    }
}

/// One way to damage a log.
struct LogDamage: CustomStringConvertible {
    enum Shape: String, CaseIterable {
        case zeroed, flipped, swapped, deleted, inserted, truncated, header
    }

    let shape: Shape
    /// The first damaged frame.
    let frame: Int
    let hasIndex: Bool
    let bytes: [UInt8]
    /// Whether undamaged frames of a later commit are after the damage, wherever they are now.
    let hasCommitAfter: Bool

    init(_ number: Int, of log: LogFile, _ random: inout SplitMix64) {
        shape = Shape.allCases[number % Shape.allCases.count]
        hasIndex = shape == .truncated || number / Shape.allCases.count % 2 == 0
        let frames = log.frames
        var bytes = log.bytes
        var frame = Int.random(in: 0..<frames, using: &random)
        let start = { (frame: Int) in LogFile.header + frame * LogFile.frame }
        var last = frame
        switch shape {
        case .zeroed:
            let whole = Bool.random(using: &random)
            let length = whole ? LogFile.frame : [24, 512, 4096].randomElement(using: &random) ?? 24
            let end = min(start(frame) + length, bytes.count)
            for at in start(frame)..<end { bytes[at] = 0 }
        case .flipped:
            let at = start(frame) + Int.random(in: 0..<LogFile.frame, using: &random)
            bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case .swapped:
            frame = Int.random(in: 0..<(frames - 1), using: &random)
            last = Int.random(in: (frame + 1)..<frames, using: &random)
            let (one, other) = (
                start(frame)..<start(frame + 1), start(last)..<start(last + 1)
            )
            bytes.replaceSubrange(one, with: log.bytes[other])
            bytes.replaceSubrange(other, with: log.bytes[one])
        case .deleted:
            let whole = Bool.random(using: &random)
            let length = whole ? LogFile.frame : Int.random(in: 1..<LogFile.frame, using: &random)
            bytes.removeSubrange(start(frame)..<(start(frame) + length))
        case .inserted:
            let length = Int.random(in: 1...5000, using: &random)
            bytes.insert(
                contentsOf: (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) },
                at: start(frame) + Int.random(in: 0..<LogFile.frame, using: &random))
        case .truncated:
            bytes.removeLast(bytes.count - start(frame) - Int.random(in: 0..<LogFile.frame, using: &random))
        case .header:
            (frame, last) = (-1, -1)
            bytes[Int.random(in: 0..<32, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
        self.bytes = bytes
        self.frame = frame
        hasCommitAfter = shape != .truncated && (last + 1..<frames).contains { log.commits($0) }
    }

    var description: String {
        "\(shape), frame \(frame), \(hasIndex ? "with" : "without") an index"
    }
}
