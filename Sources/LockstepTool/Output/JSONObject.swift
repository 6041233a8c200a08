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
