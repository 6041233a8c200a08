/// Reads a `bytea` in the server's text form: `\x`, then two lower-case hexadecimal digits for each byte.
enum ServerBytes {
    /// - Returns: The bytes; nil for a text of another form.
    static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count >= 2, text.count.isMultiple(of: 2),
            unsafe text[0] == UInt8(ascii: "\\"), unsafe text[1] == UInt8(ascii: "x")
        else { return nil }
        // 16 stands for what is no digit.
        var seen: UInt8 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: text.count / 2 - 1) {
            buffer, count in
            for index in 1..<(text.count / 2) {
                let high = unsafe digit(text[2 * index])
                let low = unsafe digit(text[2 * index + 1])
                seen |= high | low
                unsafe buffer[index - 1] = high << 4 | (low & 15)
            }
            count = text.count / 2 - 1
        }
        return seen < 16 ? bytes : nil
    }

    /// The value of a digit; 16 for anything else.
    private static func digit(_ character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: 16
        }
    }
}
