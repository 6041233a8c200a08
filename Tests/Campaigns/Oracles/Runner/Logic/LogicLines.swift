/// The lines of a script, in the form in which its records are read.
///
/// Lines that begin with `#` are comments wherever they are; lines of white space count as empty.
struct LogicLines {
    /// A line and its number in the file.
    struct Line {
        let number: Int
        let bytes: ArraySlice<UInt8>

        var isEmpty: Bool { bytes.isEmpty }
        var text: String { String(decoding: bytes, as: UTF8.self) }

        /// The first four words.
        var words: [String] {
            bytes.split(maxSplits: 4, omittingEmptySubsequences: true, whereSeparator: isBlank)
                .prefix(4).map { String(decoding: $0, as: UTF8.self) }
        }

        fileprivate init(_ number: Int, _ bytes: ArraySlice<UInt8>) {
            self.number = number
            let line = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
            self.bytes = line.allSatisfy(isBlank) ? [] : line
        }
    }

    private let bytes: [UInt8]
    private var next = 0
    private var number = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next line that is not a comment, or nil at the end.
    mutating func read() -> Line? {
        while next < bytes.count {
            let end = bytes[next...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let line = bytes[next..<end]
            next = end + 1
            number += 1
            if line.first != UInt8(ascii: "#") { return Line(number, line) }
        }
        return nil
    }
}

private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (9...13).contains(byte)
}
