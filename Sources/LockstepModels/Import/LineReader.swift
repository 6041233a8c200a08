import Lockstep
import SystemPackage

/// The lines of a file, one after the other, in constant memory. They end in LF or CRLF; the last one can also end with
/// the file. A byte-order mark at the beginning is not part of the first line.
struct LineReader: ~Copyable {
    /// The longest line of text: a longer one would fill the memory.
    static let longestLine = 16 * 1024 * 1024

    private let longest: Int
    private var file: FilePieces
    private var buffer: [UInt8] = []
    private var start = 0
    private var scanned = 0
    private var atEnd = false
    private var isFirst = true

    init(
        _ path: FilePath, _ identity: ImportIdentity? = nil, longest: Int = longestLine
    ) throws {
        file = try FilePieces(path, identity)
        self.longest = longest
    }

    /// A line, or the notice that one was too long to be read.
    enum Line {
        case bytes([UInt8])
        case tooLong
    }

    /// The next line without its ending, or nil at the end.
    mutating func next() throws -> Line? {
        var isTooLong = false
        while true {
            if let newline = buffer[scanned...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = take(upTo: newline)
                start = newline + 1
                scanned = start
                return isTooLong ? .tooLong : .bytes(line)
            }
            scanned = buffer.count
            if atEnd {
                guard start < buffer.count || isTooLong else { return nil }
                let line = take(upTo: buffer.count)
                start = buffer.count
                return isTooLong ? .tooLong : .bytes(line)
            }
            if buffer.count - start > longest {
                isTooLong = true
                start = buffer.count
            }
            try fill()
        }
    }

    private mutating func take(upTo end: Int) -> [UInt8] {
        var line = Array(buffer[start..<end])
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if isFirst, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirst = false
        return line
    }

    private mutating func fill() throws {
        buffer.removeFirst(start)
        scanned -= start
        start = 0
        guard let piece = try file.next() else {
            atEnd = true
            return
        }
        buffer.append(contentsOf: piece)
    }
}
