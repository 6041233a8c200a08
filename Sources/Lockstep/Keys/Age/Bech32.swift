/// Bech32 (BIP 173) without its limit of 90 characters, as age uses it for keys.
///
/// It works in secure memory throughout because it also encodes secret keys.
enum Bech32 {
    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
    private static let checksumLength = 6
    // The generator's coefficients (BIP 173, "Checksum").
    private static let generator: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]

    /// Encodes `bytes` in lower case after `prefix`, which must be in lower case.
    static func encode(_ bytes: Span<UInt8>, prefix: String) throws(LockstepError) -> SecretBytes {
        let prefix = Array(prefix.utf8)
        let groups = (bytes.count * 8 + 4) / 5
        var text = try SecretBytes(zeroed: prefix.count + 1 + groups + checksumLength)
        var output = text.mutableBytes
        for index in prefix.indices { output[index] = prefix[index] }
        output[prefix.count] = UInt8(ascii: "1")
        var checksum = Checksum(prefix)
        var next = prefix.count + 1
        var (buffer, bits): (UInt32, UInt32) = (0, 0)
        for index in bytes.indices {
            buffer = buffer << 8 | UInt32(bytes[index])
            bits += 8
            while bits >= 5 {
                bits -= 5
                put(UInt8(buffer >> bits & 31), &output, &next, &checksum)
            }
            buffer &= 1 << bits - 1
        }
        if bits > 0 { put(UInt8(buffer << (5 - bits) & 31), &output, &next, &checksum) }
        let end = checksum.ending()
        for index in 0..<checksumLength {
            output[next + index] = alphabet[Int(end >> UInt32(5 * (5 - index)) & 31)]
        }
        return text
    }

    /// The bytes that `text` encodes after `prefix`; nil unless `text` is their canonical encoding in one case.
    /// - Parameter longest: The maximum number of characters.
    static func decode(
        _ text: Span<UInt8>, prefix: String, longest: Int = 1000
    ) throws(LockstepError) -> SecretBytes? {
        let prefix = Array(prefix.utf8)
        let start = prefix.count + 1
        guard text.count >= start + checksumLength, text.count <= longest else { return nil }
        var (hasLower, hasUpper) = (false, false)
        for index in text.indices {
            hasLower = hasLower || text[index].isASCIILowercase
            hasUpper = hasUpper || text[index].isASCIIUppercase
        }
        guard !(hasLower && hasUpper) else { return nil }
        for index in prefix.indices where text[index].asciiLowercased != prefix[index] {
            return nil
        }
        guard text[prefix.count] == UInt8(ascii: "1") else { return nil }
        let groups = text.count - start - checksumLength
        var bytes = try SecretBytes(zeroed: groups * 5 / 8)
        var output = bytes.mutableBytes
        var checksum = Checksum(prefix)
        var (buffer, bits, next): (UInt32, UInt32, Int) = (0, 0, 0)
        for index in start..<text.count {
            guard let value = values[Int(text[index].asciiLowercased)] else { return nil }
            checksum.add(value)
            guard index < start + groups else { continue }
            buffer = buffer << 5 | UInt32(value)
            bits += 5
            guard bits >= 8 else { continue }
            bits -= 8
            output[next] = UInt8(truncatingIfNeeded: buffer >> bits)
            next += 1
            buffer &= 1 << bits - 1
        }
        // Left-over bits must be zero and fewer than a group.
        guard checksum.isComplete, bits < 5, buffer & (1 << bits - 1) == 0 else { return nil }
        return bytes
    }

    private static func put(
        _ value: UInt8, _ output: inout MutableSpan<UInt8>, _ next: inout Int, _ checksum: inout Checksum
    ) {
        output[next] = alphabet[Int(value)]
        next += 1
        checksum.add(value)
    }

    /// The checksum polynomial of the characters so far.
    private struct Checksum {
        private var value: UInt32 = 1

        init(_ prefix: [UInt8]) {
            for byte in prefix { add(byte >> 5) }
            add(0)
            for byte in prefix { add(byte & 31) }
        }

        mutating func add(_ group: UInt8) {
            let top = value >> 25
            value = (value & 0x1ff_ffff) << 5 ^ UInt32(group)
            for (bit, coefficient) in generator.enumerated() where top >> UInt32(bit) & 1 == 1 {
                value ^= coefficient
            }
        }

        /// Whether the groups added last were a valid checksum.
        var isComplete: Bool { value == 1 }

        /// The six groups that complete it.
        func ending() -> UInt32 {
            var copy = self
            for _ in 0..<checksumLength { copy.add(0) }
            return copy.value ^ 1
        }
    }
}
