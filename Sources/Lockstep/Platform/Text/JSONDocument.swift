/// Reads a JSON text (RFC 8259) of another program, without Foundation. For small files: every value is kept.
struct JSONDocument {
    /// A value.
    indirect enum Item: Equatable {
        case null
        case flag(Bool)
        /// As it is written.
        case number(String)
        case text(String)
        case list([Item])
        /// Of several members with one name, the last.
        case object([String: Item])  // exact: looked up with names of the source
    }

    /// The value of the whole text; nil if it is not JSON, or nested more than 64 deep.
    let value: Item?

    init(_ text: String) {
        var reader = Reader(bytes: Array(text.utf8))
        let value = reader.value(depth: 0)
        reader.skipSpace()
        self.value = reader.isAtEnd ? value : nil
    }

    private struct Reader {
        let bytes: [UInt8]
        var place = 0

        var isAtEnd: Bool { place == bytes.count }
        private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

        mutating func skipSpace() {
            while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
                place += 1
            }
        }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            skipSpace()
            guard next == UInt8(ascii: character) else { return false }
            place += 1
            return true
        }

        private mutating func take(word: StaticString) -> Bool {
            let wanted = Array(word.description.utf8)
            guard bytes[place...].starts(with: wanted) else { return false }
            place += wanted.count
            return true
        }

        mutating func value(depth: Int) -> Item? {
            guard depth < 64 else { return nil }
            skipSpace()
            switch next {
            case UInt8(ascii: "{"): return object(depth: depth)
            case UInt8(ascii: "["): return list(depth: depth)
            case UInt8(ascii: "\""): return string().map(Item.text)
            case UInt8(ascii: "t"): return take(word: "true") ? .flag(true) : nil
            case UInt8(ascii: "f"): return take(word: "false") ? .flag(false) : nil
            case UInt8(ascii: "n"): return take(word: "null") ? .null : nil
            default: return number()
            }
        }

        private mutating func list(depth: Int) -> Item? {
            guard take("[") else { return nil }
            var values: [Item] = []
            if take("]") { return .list([]) }
            repeat {
                guard let value = value(depth: depth + 1) else { return nil }
                values.append(value)
            } while take(",")
            return take("]") ? .list(values) : nil
        }

        private mutating func object(depth: Int) -> Item? {
            guard take("{") else { return nil }
            var members: [String: Item] = [:]  // exact: looked up with names of the source
            if take("}") { return .object([:]) }
            repeat {
                skipSpace()
                guard let name = string(), take(":"), let value = value(depth: depth + 1) else {
                    return nil
                }
                members[name] = value
            } while take(",")
            return take("}") ? .object(members) : nil
        }

        private mutating func number() -> Item? {
            let start = place
            while let byte = next,
                byte.isASCIIDigit || byte.isASCIILetter
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
                    || byte == UInt8(ascii: ".")
            {
                place += 1
            }
            let text = String(decoding: bytes[start..<place], as: UTF8.self)
            return Double(text).map { $0.isFinite } == true ? .number(text) : nil
        }

        private mutating func string() -> String? {
            guard next == UInt8(ascii: "\"") else { return nil }
            place += 1
            var units: [UInt8] = []
            while let byte = next {
                place += 1
                switch byte {
                case UInt8(ascii: "\""): return String(validating: units, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let scalar = escaped() else { return nil }
                    units += Array(String(scalar).utf8)
                case 0..<0x20: return nil
                default: units.append(byte)
                }
            }
            return nil
        }

        private mutating func escaped() -> Unicode.Scalar? {
            guard let byte = next else { return nil }
            place += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
                return Unicode.Scalar(byte)
            case UInt8(ascii: "b"): return "\u{8}"
            case UInt8(ascii: "f"): return "\u{C}"
            case UInt8(ascii: "n"): return "\n"
            case UInt8(ascii: "r"): return "\r"
            case UInt8(ascii: "t"): return "\t"
            case UInt8(ascii: "u"):
                guard let first = unit() else { return nil }
                guard (0xD800..<0xDC00).contains(first) else { return Unicode.Scalar(first) }
                guard take(word: "\\u"), let second = unit(), (0xDC00..<0xE000).contains(second) else { return nil }
                return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
            default: return nil
            }
        }

        /// Four hexadecimal digits.
        private mutating func unit() -> UInt32? {
            guard place + 4 <= bytes.count else { return nil }
            let digits = bytes[place..<(place + 4)]
            guard digits.allSatisfy({ $0.isASCIIDigit || $0.isASCIILetter }) else { return nil }
            place += 4
            return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        }
    }
}
