import SystemPackage

@testable import Lockstep

/// A write-ahead log beside a database. If the first byte is odd, the rest is the log; otherwise it is frames, each a
/// page number and a size of 4 bytes, which get a correct header and correct checksums.
final class LogTarget: FuzzTarget {
    static let name = "log"
    static let refusals: Set<LockstepError.Code> = []
    private static let pageSize = 512
    private static let salts: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]

    static func seeds() -> [String: [UInt8]] {
        let frames: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2]
        let whole = log(frames)
        var torn = whole
        torn[700] ^= 1
        return [
            "empty": [1], "frames": [0] + frames, "log": [1] + whole, "torn": [1] + torn,
            "cut": [1] + whole.prefix(900),
        ]
    }

    func run(_ input: [UInt8]) throws {
        var input = FuzzInput(input)
        let isWhole = !input.byte().isMultiple(of: 2)
        let bytes = isWhole ? input.remainder() : Self.log(input.remainder())
        let path = try FuzzFile.write("logged.db", [0])
        try FuzzFile.write("logged.db-wal", bytes)
        let opened = try WriteAheadLog(of: path, pageSize: Self.pageSize)
        guard let log = opened else { return require(isWhole, "a log is none") }
        let frames = try log.committedFrames()
        let found = try LogExamination.run(
            on: path, log, reached: frames,
            PageAuthenticator(.current, key: SecretBytes(copying: [1].span), salt: Self.salts + Self.salts))
        for frame in frames + found.later where frame.offset + Self.pageSize <= bytes.count {
            require(try log.page(frame).count == Self.pageSize, "a frame has no page")
        }
        require(frames.isEmpty || frames.last?.commits == true, "the last frame commits nothing")
        require(try log.isUnchanged(), "the log has changed")
        guard !isWhole else { return }
        require((frames + found.later).count == (bytes.count - 32) / (24 + Self.pageSize), "a frame is lost")
    }

    private static func log(_ frames: [UInt8]) -> [UInt8] {
        var sums: (UInt32, UInt32) = (0, 0)
        var log: [UInt8] = [0x37, 0x7F, 0x06, 0x83, 0, 0x2D, 0xE2, 0x18, 0, 0, 2, 0, 0, 0, 0, 0] + salts
        log += sum(log, &sums)
        for start in stride(from: 0, through: frames.count - 8, by: 8) {
            let head = Array(frames[start..<(start + 8)])
            let page = [UInt8](repeating: UInt8(truncatingIfNeeded: start), count: pageSize)
            _ = sum(head, &sums)
            log += head + salts + sum(page, &sums) + page
        }
        return log
    }

    /// Continues the checksums over these bytes, in big-endian words, and returns both.
    private static func sum(_ bytes: [UInt8], _ sums: inout (UInt32, UInt32)) -> [UInt8] {
        func word(_ place: Int) -> UInt32 {
            bytes[place..<(place + 4)].reduce(0) { $0 << 8 | UInt32($1) }
        }
        for place in stride(from: 0, to: bytes.count, by: 8) {
            sums.0 &+= word(place) &+ sums.1
            sums.1 &+= word(place + 4) &+ sums.0
        }
        return [sums.0, sums.1].flatMap(\.bigEndianBytes)
    }
}
