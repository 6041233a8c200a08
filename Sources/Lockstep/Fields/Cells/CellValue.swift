/// A value of a sealed column, with its type: a value sealed as a date opens as a date.
public enum CellValue: Sendable, Hashable {
    /// No value. Sealed, only its length distinguishes it from other values.
    case null
    /// A signed 64-bit integer.
    case integer(Int64)
    /// A double-precision number. All NaNs become one; −0.0 is kept.
    case real(Double)
    /// UTF-8 text.
    case text(String)
    /// Bytes.
    case blob([UInt8])
    /// True or false.
    case bool(Bool)
    /// A day, as the number of days since 1970-01-01.
    case day(Int64)
    /// A moment, in microseconds since 1970-01-01T00:00:00Z.
    case instant(Int64)
    /// JSON, as its text.
    case json(String)
    /// A decimal number, as its text.
    case decimal(String)
    /// A UUID's 16 bytes.
    case uuid([UInt8])

    /// A value of SQL.
    init(_ value: Value) {
        self =
            switch value {
            case .null: .null
            case .integer(let number): .integer(number)
            case .real(let number): .real(number)
            case .text(let text): .text(text)
            case .blob(let bytes): .blob(bytes)
            }
    }

    /// The name of its type for messages. They never contain the value.
    public var typeName: String { "\(tag)" }

    var tag: CellTag {
        switch self {
        case .null: .null
        case .integer: .integer
        case .real: .real
        case .text: .text
        case .blob: .blob
        case .bool: .bool
        case .day: .day
        case .instant: .instant
        case .json: .json
        case .decimal: .decimal
        case .uuid: .uuid
        }
    }
}

/// The first byte of a cell's plaintext, without its flags.
package enum CellTag: UInt8, Sendable, CaseIterable {
    case null = 0x00
    case integer = 0x01
    case real = 0x02
    case text = 0x03
    case blob = 0x04
    case bool = 0x05
    case day = 0x06
    case instant = 0x07
    case json = 0x08
    case decimal = 0x09
    case uuid = 0x0A

    /// Set if padding follows the payload: one byte 0x80, then zeros (ISO/IEC 7816-4).
    static let paddedFlag: UInt8 = 0x80
    /// Set if the payload is compressed. This version never sets it: the compression ratio would reveal something about
    /// the value.
    static let compressedFlag: UInt8 = 0x40

    /// The payload's length if the type determines it, so that the length reveals nothing about the value.
    var fixedLength: Int? {
        switch self {
        case .null: 0
        case .bool: 1
        case .integer, .real, .day, .instant: 8
        case .uuid: 16
        case .text, .blob, .json, .decimal: nil
        }
    }
}
