/// Hexadecimal text for public and wrapped bytes. The only text form of a secret is the keyspec, which ``DatabaseKey``
/// builds in secure memory.
package enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Lower-case text, two digits per byte.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text with two lower-case digits per byte; nil for any other text.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let values = text.utf8.map { digits.firstIndex(of: $0).map(UInt8.init) }
        guard values.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: values.count, by: 2) {
            guard let high = values[index], let low = values[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The digit for a value from 0 to 15, without a table lookup that depends on a secret.
    static func digit(_ nibble: UInt8) -> UInt8 {
        // 39 is the distance from '9' + 1 to 'a'; the shift yields 1 for values above 9, else 0.
        UInt8(ascii: "0") + nibble + 39 * ((nibble &+ 6) >> 4)
    }
}
