/// Names of any characters as words of plain ASCII, for texts whose fields are parted by spaces: `A-Z`, `a-z`, `0-9`
/// and `_` stand for themselves, and each other byte of the UTF-8 is `%` with two hexadecimal digits in upper
/// case. Every name has one spelling.
enum PercentEncodedName {
    static func encode(_ name: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for byte in name.utf8 {
            if isPlain(byte) {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for a text that ``encode(_:)`` gives of no name.
    static func decode(_ text: some StringProtocol) -> String? {
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
                let byte = UInt8(
                    String(decoding: spelled[index + 1...index + 2], as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(byte)
            index += 3
        }
        let name = String(decoding: bytes, as: UTF8.self)
        // What is not UTF-8, and any other spelling, does not come back as it was.
        return encode(name).utf8.elementsEqual(spelled) ? name : nil
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || byte == UInt8(ascii: "_")
    }
}
