/// A text in one of Lockstep's formats, read line by line. Strict rules give any content exactly one form: printable
/// ASCII, LF after each line, single spaces between fields, canonical base64, numbers in plain decimal digits.
struct CanonicalText {
    /// Makes the error for a malformed text from the reason and the line, if the reason concerns one line.
    typealias Refusal = @Sendable (_ what: String, _ line: Int?) -> LockstepError

    private let lines: [Substring]
    private let refusal: Refusal
    /// The number of lines taken.
    private(set) var next = 0

    /// - Parameter limit: The maximum size in bytes.
    init(_ bytes: [UInt8], limit: Int, refusal: @escaping Refusal) throws(LockstepError) {
        guard bytes.count <= limit else {
            throw refusal("it is larger than \(limit / 1024) KiB", nil)
        }
        let newline = UInt8(ascii: "\n")
        guard bytes.last == newline else {
            throw refusal("it does not end with a line feed", nil)
        }
        if let foreign = bytes.firstIndex(where: { $0 != newline && !(0x20...0x7E).contains($0) }) {
            let line = bytes[..<foreign].count { $0 == newline } + 1
            throw refusal("it contains a byte other than printable ASCII", line)
        }
        lines = String(decoding: bytes.dropLast(), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        self.refusal = refusal
    }

    /// Whether all lines are taken.
    var isAtEnd: Bool { next == lines.count }

    /// The next line, without taking it.
    func peek() -> Substring? { next < lines.count ? lines[next] : nil }

    /// Takes the next line.
    mutating func take(_ what: String) throws(LockstepError) -> Substring {
        guard next < lines.count else {
            throw refusal("it ends where \(what) is expected", next)
        }
        next += 1
        return lines[next - 1]
    }

    /// The error for the line taken last.
    func bad(_ what: String) -> LockstepError { refusal(what, next) }

    // MARK: Pieces of a line

    func fields(_ line: Substring) -> [Substring] {
        line.split(separator: " ", omittingEmptySubsequences: false)
    }

    func base64(
        _ text: Substring, _ count: Int?, _ what: String
    ) throws(LockstepError) -> [UInt8] {
        guard let bytes = Base64.decode(text), !bytes.isEmpty else {
            throw bad("\(what) is not canonical base64")
        }
        if let count, bytes.count != count {
            throw bad("\(what) is \(counted(bytes.count, "byte")) long, not \(count)")
        }
        return bytes
    }

    func number(
        _ text: Substring, _ range: ClosedRange<UInt64>, _ what: String
    ) throws(LockstepError) -> UInt64 {
        guard let value = UInt64(text), String(value) == text, range.contains(value) else {
            throw bad("\(what) is not a number in the allowed range")
        }
        return value
    }
}
