/// A write-ahead log as bytes, for tests that damage one and then correct its checksums, as is possible without a key.
/// Written independently from SQLite's "WAL-mode File Format".
struct LogFile {
    var bytes: [UInt8]

    static let header = 32
    static let frame = 24 + 4096

    /// The number of frames in the file, valid or not.
    var frames: Int { max(bytes.count - Self.header, 0) / Self.frame }

    /// The offset of a frame's page, counting frames from 0.
    func start(of frame: Int) -> Int { Self.header + frame * Self.frame + 24 }

    /// The number of the database page in a frame.
    func page(of frame: Int) -> Int { Int(word(Self.header + frame * Self.frame)) }

    /// Whether a frame ends a transaction.
    func commits(_ frame: Int) -> Bool { word(Self.header + frame * Self.frame + 4) != 0 }

    /// The number of leading frames that have the header's salts.
    var currentFrames: Int {
        (0..<frames).prefix { frame in
            let salts = Self.header + frame * Self.frame + 8
            return bytes[salts..<(salts + 8)] == bytes[16..<24]
        }.count
    }

    /// Recomputes all checksums, of words in this machine's byte order or the other one.
    mutating func reseal(bigEndian: Bool) {
        put(bigEndian ? 0x377F_0683 : 0x377F_0682, at: 0)
        var sums: (UInt32, UInt32) = (0, 0)
        func add(_ range: Range<Int>) {
            for at in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                let (one, two) = (word(at), word(at + 4))
                sums.0 = sums.0 &+ (bigEndian ? one : one.byteSwapped) &+ sums.1
                sums.1 = sums.1 &+ (bigEndian ? two : two.byteSwapped) &+ sums.0
            }
        }
        add(0..<24)
        put(sums.0, at: 24)
        put(sums.1, at: 28)
        for frame in 0..<currentFrames {
            let at = Self.header + frame * Self.frame
            add(at..<(at + 8))
            add((at + 24)..<(at + Self.frame))
            put(sums.0, at: at + 16)
            put(sums.1, at: at + 20)
        }
    }

    private func word(_ at: Int) -> UInt32 {
        bytes[at..<(at + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private mutating func put(_ word: UInt32, at offset: Int) {
        for index in 0..<4 {
            bytes[offset + index] = UInt8(truncatingIfNeeded: word >> (24 - 8 * index))
        }
    }
}
