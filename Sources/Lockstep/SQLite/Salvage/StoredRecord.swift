// A record, the payload of a row ("Database File Format", section 2.1):
//
//   length of the header, itself included (varint) · one serial type per field (varints) · the fields
//
//   serial type   field
//   0             NULL
//   1 … 6         an integer of 1, 2, 3, 4, 6 or 8 bytes, big-endian, two's complement
//   7             a double of 8 bytes, big-endian
//   8, 9          the integers 0 and 1, without bytes
//   10, 11        reserved
//   n ≥ 12        even: a BLOB of (n-12)/2 bytes · odd: a TEXT of (n-13)/2 bytes in the file's encoding
//
// A record counts if its header ends where it says, no type is reserved, and all fields lie inside the payload.
// Types can be read without the fields.

/// A value as stored. A TEXT stays bytes, so that nothing is lost even if they are not UTF-8.
enum StoredValue: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])
}

extension StoredValue {
    /// The class of its type.
    var storageClass: SerialType.Class {
        switch self {
        case .null: .null
        case .integer: .integer
        case .real: .real
        case .text: .text
        case .blob: .blob
        }
    }
}

/// The type of a field, without its value.
struct SerialType {
    let number: UInt64

    enum Class { case null, integer, real, text, blob }

    init?(_ number: UInt64) {
        guard number != 10, number != 11 else { return nil }
        self.number = number
    }

    var storageClass: Class {
        switch number {
        case 0: .null
        case 1...6, 8, 9: .integer
        case 7: .real
        default: number.isMultiple(of: 2) ? .blob : .text
        }
    }

    /// Bytes of the field; nil if a row cannot have that many.
    var length: Int? {
        switch number {
        case 0, 8, 9: return 0
        case 1...4: return Int(number)
        case 5: return 6
        case 6, 7: return 8
        default:
            let length = (number - 12) / 2
            return length <= UInt64(Int32.max) ? Int(length) : nil
        }
    }
}

enum StoredRecord {
    /// SQLite cannot be built for more columns.
    private static let maximumFields = 32_767

    /// The types of a record's fields and the offset of the first field; nil if the header is malformed or
    /// longer than the given bytes.
    static func types(_ payload: [UInt8]) -> (types: [SerialType], body: Int)? {
        guard let header = Varint(payload, at: 0), header.value >= UInt64(header.end),
            header.value <= UInt64(payload.count)
        else { return nil }
        let body = Int(header.value)
        var types: [SerialType] = []
        var at = header.end
        while at < body {
            guard types.count < maximumFields, let varint = Varint(payload, at: at), let type = SerialType(varint.value)
            else { return nil }
            types.append(type)
            at = varint.end
        }
        return at == body ? (types, body) : nil
    }

    /// The values of a whole record; nil if it is malformed.
    static func values(_ payload: [UInt8]) -> [StoredValue]? {
        guard let (types, body) = types(payload) else { return nil }
        var values: [StoredValue] = []
        values.reserveCapacity(types.count)
        var at = body
        for type in types {
            guard let length = type.length, at + length <= payload.count else { return nil }
            values.append(value(type, payload[at..<(at + length)]))
            at += length
        }
        return values
    }

    private static func value(_ type: SerialType, _ bytes: ArraySlice<UInt8>) -> StoredValue {
        switch type.number {
        case 0: return .null
        case 8: return .integer(0)
        case 9: return .integer(1)
        case 1...6:
            // The first byte carries the sign.
            let sign: Int64 = bytes.first.map { $0 >= 0x80 } == true ? -1 : 0
            return .integer(bytes.reduce(sign) { $0 << 8 | Int64($1) })
        case 7: return .real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
        default:
            let content = Array(bytes)
            return type.storageClass == .blob ? .blob(content) : .text(content)
        }
    }
}

/// The text encoding of a database.
enum TextEncoding: UInt32 {
    case utf8 = 1
    case utf16LittleEndian = 2
    case utf16BigEndian = 3

    /// The text that the bytes encode; nil if they are not valid.
    func text(_ bytes: [UInt8]) -> String? {
        guard self != .utf8 else { return String(validating: bytes, as: UTF8.self) }
        guard bytes.count.isMultiple(of: 2) else { return nil }
        let units = stride(from: 0, to: bytes.count, by: 2).map { at in
            let (one, two) = (UInt16(bytes[at]), UInt16(bytes[at + 1]))
            return self == .utf16BigEndian ? one << 8 | two : two << 8 | one
        }
        return String(validating: units, as: UTF16.self)
    }
}
