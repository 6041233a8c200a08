/// RFC 4648 base64 without padding, in its canonical form.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    /// The canonical text of `bytes`.
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(buffer >> bits & 63)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(buffer << (6 - bits) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of `text`, or nil unless it is exactly what ``encode(_:)`` returns: no padding, no white space, unused
    /// bits zero.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for character in text.utf8 {
            guard let value = values[Int(character)] else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        // Six left-over bits mean a character without a complete byte; fewer bits must be zero.
        guard bits < 6, buffer & (1 << bits - 1) == 0 else { return nil }
        return bytes
    }

    // MARK: Secrets

    /// The number of characters that ``encode(_:into:at:)`` writes for `count` bytes.
    static func length(of count: Int) -> Int { (count * 8 + 5) / 6 }

    /// Writes the canonical text of `bytes` into `output`, without a copy in ordinary memory.
    /// - Returns: The end of the text, ``length(of:)`` characters after `start`.
    static func encode(
        _ bytes: Span<UInt8>, into output: inout MutableSpan<UInt8>, at start: Int
    ) -> Int {
        var (next, buffer, bits) = (start, UInt32(0), UInt32(0))
        for index in bytes.indices {
            buffer = buffer << 8 | UInt32(bytes[index])
            bits += 8
            while bits >= 6 {
                bits -= 6
                output[next] = alphabet[Int(buffer >> bits & 63)]
                next += 1
            }
        }
        if bits > 0 {
            output[next] = alphabet[Int(buffer << (6 - bits) & 63)]
            next += 1
        }
        return next
    }

    /// Writes the bytes of a canonical text into `output`.
    /// - Returns: The end of the bytes; nil if the text is not canonical or `output` is too small.
    static func decode(
        _ text: Span<UInt8>, into output: inout MutableSpan<UInt8>, at start: Int
    ) -> Int? {
        var (next, buffer, bits) = (start, UInt32(0), UInt32(0))
        for index in text.indices {
            guard let value = values[Int(text[index])] else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                guard next < output.count else { return nil }
                output[next] = UInt8(truncatingIfNeeded: buffer >> bits)
                next += 1
            }
        }
        guard bits < 6, buffer & (1 << bits - 1) == 0 else { return nil }
        return next
    }
}
