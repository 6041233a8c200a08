/// The text of cards: its escapes, encodings and character sets.
enum VCardText {
    static let encodings: Set<String> = ["quoted-printable", "base64", "b", "8bit", "7bit"]

    // MARK: Escapes

    /// Puts a backslash before characters that have a meaning: `\`, `,`, `;` and the end of a line.
    static func escaped(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: ","), UInt8(ascii: ";"):
                bytes += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): bytes += Array("\\n".utf8)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    /// Removes the escapes; the old format escapes only semicolons. A backslash before any other character stays.
    static func unescaped(_ bytes: ArraySlice<UInt8>, _ version: VCardVersion) -> [UInt8] {
        let plain: [UInt8] = version == .two ? Array(";".utf8) : Array("\\,;:".utf8)
        var result: [UInt8] = []
        var isEscaped = false
        for byte in bytes {
            if isEscaped {
                isEscaped = false
                if plain.contains(byte) {
                    result.append(byte)
                } else if version != .two, byte == UInt8(ascii: "n") || byte == UInt8(ascii: "N") {
                    result.append(UInt8(ascii: "\n"))
                } else if byte == UInt8(ascii: "\\") {
                    result.append(byte)
                    isEscaped = true
                } else {
                    result += [UInt8(ascii: "\\"), byte]
                }
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                result.append(byte)
            }
        }
        if isEscaped { result.append(UInt8(ascii: "\\")) }
        return result
    }

    // MARK: Encodings

    /// RFC 2045, section 6.7: `=` and two digits are a byte. A `=` before anything else stays.
    static func quotedPrintable(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "="), index + 2 < bytes.count,
                let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }

    static func string(_ bytes: [UInt8], charset: String?) throws(ImportProblem) -> String {
        switch charset {
        case nil, "utf-8"?, "utf8"?, "us-ascii"?, "ascii"?:
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw ImportProblem(
                    "it is not valid UTF-8, and no other character set is named")
            }
            return text
        case "iso-8859-1"?, "latin1"?, "iso8859-1"?:
            return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case "windows-1252"?, "cp1252"?:
            return String(String.UnicodeScalarView(bytes.map(windows)))
        default: throw ImportProblem("its text is in an unknown character set")
        }
    }

    /// Windows-1252 has characters where ISO 8859-1 has controls; five bytes have none and stay controls (WHATWG
    /// Encoding Standard, index windows-1252).
    private static func windows(_ byte: UInt8) -> Unicode.Scalar {
        guard (0x80..<0xA0).contains(byte) else { return Unicode.Scalar(byte) }
        return windowsScalars[Int(byte) - 0x80]
    }

    private static let windowsScalars = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
}
