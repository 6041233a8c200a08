/// The type of a sealed value: the first byte of a cell's plaintext, without its flags.
package enum CellTag: UInt8, Sendable, CaseIterable {
    case null = 0x00
    case integer = 0x01
    case real = 0x02
    case text = 0x03
    case blob = 0x04

    /// Set if padding follows the payload: one byte 0x80, then zeros (ISO/IEC 7816-4).
    static let paddedFlag: UInt8 = 0x80
    /// Set if the payload is compressed. This version never sets it: the compression ratio would reveal something about
    /// the value.
    static let compressedFlag: UInt8 = 0x40

    /// The payload's length if the type determines it, so that the length reveals nothing about the value.
    var fixedLength: Int? {
        switch self {
        case .null: 0
        case .integer, .real: 8
        case .text, .blob: nil
        }
    }
}

extension Value {
    /// The type under which it is sealed.
    package var tag: CellTag {
        switch self {
        case .null: .null
        case .integer: .integer
        case .real: .real
        case .text: .text
        case .blob: .blob
        }
    }
}
