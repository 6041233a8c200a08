/// A write-ahead log as bytes, for tests that damage one and then make its checksums right again,
/// as someone could who has no key. Written anew from SQLite's "WAL-mode File Format".
struct LogFile {
    var bytes: [UInt8]

    static let header = 32
    static let frame = 24 + 4096

    /// How many frames lie in the file, whether they count or not.
    var frames: Int { max(bytes.count - Self.header, 0) / Self.frame }

    /// Where the page of a frame begins, counting frames from 0.
    func start(of frame: Int) -> Int { Self.header + frame * Self.frame + 24 }

    /// Which page of the database a frame holds.
    func page(of frame: Int) -> Int { Int(word(Self.header + frame * Self.frame)) }

    /// Whether a frame ends a transaction.
    func commits(_ frame: Int) -> Bool { word(Self.header + frame * Self.frame + 4) != 0 }

    /// How many frames from the first on carry the header's salts.
    var currentFrames: Int {
        (0..<frames).prefix { frame in
            let salts = Self.header + frame * Self.frame + 8
            return bytes[salts..<(salts + 8)] == bytes[16..<24]
        }.count
    }

    /// Computes all checksums anew, of words in the byte order of this machine or the other one.
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
