/// A slot's header line, in the text that it was taken from.
struct SlotHeader {
    let line: String
    let type: String
    let name: String
    /// The fields after the name.
    let fields: [Substring]
    /// Makes errors that name the line.
    let text: CanonicalText

    private static let saltLength = 16

    /// Takes the next line, which begins a slot.
    init(from text: inout CanonicalText) throws(LockstepError) {
        line = String(try text.take("a slot"))
        let parts = text.fields(Substring(line))
        guard parts.count >= 3, PlainName.isValid(parts[1]), PlainName.isValid(parts[2]),
            !parts.contains("")
        else {
            throw text.bad("a slot needs a type and a name of [a-z0-9-]")
        }
        type = String(parts[1])
        name = String(parts[2])
        fields = Array(parts[3...])
        self.text = text
    }

    /// A salt for a new slot.
    static func newSalt() throws(LockstepError) -> [UInt8] { try Random.bytes(saltLength) }

    /// The salt in this field.
    func salt(_ index: Int) throws(LockstepError) -> [UInt8] {
        try text.base64(fields[index], Self.saltLength, "a salt")
    }
}
