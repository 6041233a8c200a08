import FoundationEssentials
import Lockstep

/// A value in JSON. A blob becomes base64 text.
struct JSONValue: Encodable {
    let value: Value

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .null: try container.encodeNil()
        case .integer(let number): try container.encode(number)
        case .real(let number):
            // JSON has no infinity.
            number.isFinite ? try container.encode(number) : try container.encode("\(number)")
        case .text(let text): try container.encode(text)
        case .blob(let bytes): try container.encode(Data(bytes).base64EncodedString())
        }
    }
}
