/// A slot of a type that this version cannot open and preserves unchanged.
struct UnknownSlot: SlotKind {
    /// No header line has an empty type, so no line is read as this one.
    static let type = ""
    static let fieldCount = 0...Int.max
    static let bodyLength: Int? = nil

    let fields: [String]
    private let type: String

    init(_ header: SlotHeader) {
        fields = header.fields.map(String.init)
        type = header.type
    }

    var description: SlotDescription.Kind { .other(type: type) }
    var opensWith: String { "\(type), which this version cannot open" }
    var requirement: LockstepError.Advice {
        "a slot of type \(type), which this version cannot use"
    }

    func wrap(_: borrowing Credential, _: [UInt8]) -> SlotWrap? { nil }
}
