import FoundationEssentials
import Lockstep
/// An object in JSON. A field without a value is left out.
struct JSONObject: Encodable, ExpressibleByDictionaryLiteral {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let fields: [(name: String, value: (any Encodable)?)]

    init(dictionaryLiteral fields: (String, (any Encodable)?)...) { self.fields = fields }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for case (let name, let value?) in fields {
            try container.encode(value, forKey: Name(stringValue: name))
        }
    }
}

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
