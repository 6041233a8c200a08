/// Encodes names with any characters as ASCII words, for formats whose fields are separated by spaces: `A-Z`, `a-z`,
/// `0-9` and `_` stand for themselves, and every other UTF-8 byte is `%` with two upper-case hexadecimal digits. Every
/// name has exactly one encoding.
enum PercentEncodedName {
    static func encode(_ name: String) -> String { encode(name.utf8, isPlain: isPlain) }

    /// Encodes bytes, of which those that are plain stand for themselves.
    static func encode(_ bytes: some Sequence<UInt8>, isPlain: (UInt8) -> Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            if isPlain(byte) {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The name; nil for a string that is not the result of ``encode(_:)`` for any name.
    static func decode(_ text: some StringProtocol) -> String? {
        guard let bytes = decodeBytes(text) else { return nil }
        let name = String(decoding: bytes, as: UTF8.self)
        // Invalid UTF-8 and non-canonical encodings do not survive the round trip.
        return encode(name).utf8.elementsEqual(text.utf8) ? name : nil
    }

    /// The bytes, in whatever of its spellings the text has them; nil for a text without a meaning.
    static func decodeBytes(_ text: some StringProtocol) -> [UInt8]? {
        let spelled = Array(text.utf8)
        var bytes: [UInt8] = []
        var index = 0
        while index < spelled.count {
            if spelled[index] != UInt8(ascii: "%") {
                bytes.append(spelled[index])
                index += 1
                continue
            }
            guard index + 2 < spelled.count,
                let byte = UInt8(String(decoding: spelled[index + 1...index + 2], as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(byte)
            index += 3
        }
        return bytes
    }

    static func isPlain(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "_")
    }
}
