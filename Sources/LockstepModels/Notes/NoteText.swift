import Lockstep

/// Decodes the text of a file, whatever its encoding.
enum NoteText {
    /// Reads UTF-8, with or without a byte-order mark, and UTF-16 with one; anything else only with `legacy`.
    static func decode(
        _ bytes: [UInt8], legacy: LegacyEncoding?
    ) throws(ImportProblem) -> String {
        let text = try text(bytes, legacy)
        guard !text.isEmpty else { throw ImportProblem("it contains no text") }
        return text
    }

    private static func text(
        _ bytes: [UInt8], _ legacy: LegacyEncoding?
    ) throws(ImportProblem) -> String {
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
            throw ImportProblem("it is UTF-32: save it as UTF-8")
        }
        if bytes.starts(with: [0xFF, 0xFE]) { return try utf16(bytes.dropFirst(2), low: 0) }
        if bytes.starts(with: [0xFE, 0xFF]) { return try utf16(bytes.dropFirst(2), low: 1) }
        guard !looksLikeUTF16(bytes) else {
            throw ImportProblem("it looks like UTF-16 without a byte-order mark: save it as UTF-8")
        }
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        if let text = String(validating: bytes.dropFirst(hasMark ? 3 : 0), as: UTF8.self) {
            return text
        }
        guard let legacy, !hasMark else {
            throw ImportProblem("it is not valid UTF-8 and declares no other encoding")
        }
        return decode(bytes, legacy)
    }

    /// - Parameter low: The position of the less significant of two bytes.
    private static func utf16(
        _ bytes: ArraySlice<UInt8>, low: Int
    ) throws(ImportProblem) -> String {
        let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map {
            UInt16(bytes[$0 + low]) | UInt16(bytes[$0 + 1 - low]) << 8
        }
        guard bytes.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self)
        else { throw ImportProblem("it is not valid UTF-16") }
        return text
    }

    /// As UTF-8 it would be valid, with every second byte a NUL.
    private static func looksLikeUTF16(_ bytes: [UInt8]) -> Bool {
        guard bytes.count.isMultiple(of: 2), !bytes.isEmpty else { return false }
        var zeros = [0, 0]
        let beginning = bytes.prefix(4096)
        for (index, byte) in beginning.enumerated() where byte == 0 { zeros[index % 2] += 1 }
        let maximum = beginning.count / 2
        return min(zeros[0], zeros[1]) == 0 && max(zeros[0], zeros[1]) * 2 > maximum
    }

    private static func decode(_ bytes: [UInt8], _ encoding: LegacyEncoding) -> String {
        var text = String.UnicodeScalarView()
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            let isOwn = encoding == .windows1252 && (0x80..<0xA0).contains(byte)
            text.append(isOwn ? windows[Int(byte) - 0x80] : Unicode.Scalar(byte))
        }
        return String(text)
    }

    /// 0x80 to 0x9F in Windows-1252 (WHATWG, index-windows-1252).
    private static let windows: [Unicode.Scalar] = [
        "\u{20AC}", "\u{81}", "\u{201A}", "\u{192}", "\u{201E}", "\u{2026}", "\u{2020}",
        "\u{2021}", "\u{2C6}", "\u{2030}", "\u{160}", "\u{2039}", "\u{152}", "\u{8D}",
        "\u{17D}", "\u{8F}", "\u{90}", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}",
        "\u{2022}", "\u{2013}", "\u{2014}", "\u{2DC}", "\u{2122}", "\u{161}", "\u{203A}",
        "\u{153}", "\u{9D}", "\u{17E}", "\u{178}",
    ]
}
