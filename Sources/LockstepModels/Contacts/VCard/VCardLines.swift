internal import SystemPackage

/// The logical lines of a vCard file: folded lines are joined.
struct VCardLines: ~Copyable {
    /// A line, and the number of the file's line at which it begins.
    struct Line {
        let number: Int
        /// Nil if it is too long to be read.
        let bytes: [UInt8]?
    }

    private var reader: LineReader
    private let longest: Int
    private var number = 0
    /// Lines that were read already, the next line last.
    private var waiting: [Line] = []

    init(_ path: FilePath, _ identity: ImportIdentity?, longest: Int) throws {
        reader = try LineReader(path, identity, longest: longest)
        self.longest = longest
    }

    private mutating func physical() throws -> Line? {
        if let line = waiting.popLast() { return line }
        guard let line = try reader.next() else { return nil }
        number += 1
        guard case .bytes(let bytes) = line else { return Line(number: number, bytes: nil) }
        return Line(number: number, bytes: bytes)
    }

    /// Puts a line back, to be read again.
    mutating func putBack(_ line: Line) { waiting.append(line) }

    /// The next line, or nil at the end.
    /// - Parameter version: The version of the card that it is in, if known.
    mutating func next(_ version: VCardVersion?) throws -> Line? {
        guard let first = try physical() else { return nil }
        var bytes = first.bytes ?? []
        var isTooLong = first.bytes == nil
        var softness = Softness()
        while let more = try physical() {
            let isSoft = softness.endsSoftly(bytes)
            guard let part = more.bytes, isSoft || Self.isFolded(part) else {
                putBack(more)
                break
            }
            isTooLong = isTooLong || bytes.count + part.count > longest
            guard !isTooLong else {
                bytes = []
                continue
            }
            if isSoft { bytes.removeLast() }
            // The old format folds only at white space, which is part of the text.
            let isBlankDropped = !isSoft && version != .two
            bytes.append(contentsOf: isBlankDropped ? part.dropFirst() : part[...])
        }
        return Line(number: first.number, bytes: isTooLong ? nil : bytes)
    }

    private static func isFolded(_ bytes: [UInt8]) -> Bool {
        bytes.first == UInt8(ascii: " ") || bytes.first == UInt8(ascii: "\t")
    }
}

/// Tracks whether a growing line is quoted-printable. The part before its colon decides and is scanned once: a line can
/// have millions of pieces.
private struct Softness {
    private var isQuotedPrintable: Bool?
    /// The part that was searched and has no colon.
    private var searched = 0

    /// Whether it ends with a soft line break.
    mutating func endsSoftly(_ bytes: [UInt8]) -> Bool {
        guard bytes.last == UInt8(ascii: "=") else { return false }
        if let isQuotedPrintable { return isQuotedPrintable }
        guard let colon = bytes[searched...].firstIndex(of: UInt8(ascii: ":")) else {
            searched = bytes.count
            return false
        }
        let isQuotedPrintable = String(decoding: bytes[..<colon], as: UTF8.self).uppercased()
            .contains("QUOTED-PRINTABLE")
        self.isQuotedPrintable = isQuotedPrintable
        return isQuotedPrintable
    }
}

/// The versions of the format that can be read.
enum VCardVersion: String {
    case two = "2.1"
    case three = "3.0"
    case four = "4.0"
}
