/// Takes the values of a record in the order in which it encodes its properties.
///
/// While that is the order that a statement expects, each goes straight into the statement's parameters. A sink without
/// an order collects names and values.
@safe
final class RowSink {
    /// A property that a statement expects.
    struct Slot {
        let name: String
        let isKey: Bool
        /// Whether the statement has a parameter for it.
        let isBound: Bool
        let dates: DateColumns
        let uuids: UUIDColumns
    }

    /// What became of a record.
    enum Outcome {
        case complete
        /// A column of its key would be NULL.
        case lacksKey
        /// It has other properties, or encodes them in another order.
        case otherProperties
    }

    let type: any Record.Type
    private let slots: [Slot]
    private let collects: Bool
    private var next = 0
    private var fits = true
    private var lacksKey = false
    private var failure: (any Error)?
    private var parameters: UnsafeMutablePointer<Parameters>?
    private(set) var names: [String] = []
    private(set) var values: [Value] = []
    /// Lent to each property that encodes itself as one value.
    private var idle: ColumnEncoder?

    /// A sink that expects these properties.
    init(_ type: any Record.Type, _ slots: [Slot]) {
        (self.type, self.slots) = (type, slots)
        collects = false
    }

    /// A sink that collects.
    init(_ type: any Record.Type) {
        self.type = type
        slots = []
        collects = true
    }

    // MARK: Records

    /// Appends the values of a record to the parameters. Only if all of them were, the statement can run.
    func append(_ record: some Record, to parameters: inout Parameters) throws -> Outcome {
        (next, fits, lacksKey, failure) = (0, true, false, nil)
        try unsafe withUnsafeMutablePointer(to: &parameters) { pointer in
            unsafe self.parameters = unsafe pointer
            // An encoder that outlives this call reaches no parameters.
            defer { unsafe self.parameters = nil }
            try encode(record)
        }
        guard fits, next == slots.count else { return .otherProperties }
        return lacksKey ? .lacksKey : .complete
    }

    /// The names and values of a record.
    static func collect(_ record: some Record) throws -> RowSink {
        let sink = RowSink(Swift.type(of: record))
        try sink.encode(record)
        return sink
    }

    /// Collects one value, as that of a property of this name.
    func take(_ value: some Encodable, _ name: String) throws {
        try put(value, codable: name)
        if let failure { throw failure }
    }

    /// Appends collected values to the parameters of a statement that expects their properties.
    func append(_ slots: [Slot], to parameters: inout Parameters) -> Outcome {
        for (slot, value) in zip(slots, values) {
            if slot.isKey, value == .null { return .lacksKey }
            if slot.isBound { parameters.append(value) }
        }
        return .complete
    }

    private func encode(_ record: some Record) throws {
        do {
            try record.encode(to: RowEncoder(sink: self))
        } catch is EncodingError {
            // Swift's own errors show the value.
            throw failure
                ?? LockstepError(
                    .bindMismatch, "\(type) does not encode itself to columns",
                    hint: "encode each property by its name", context: .init(table: type.table))
        }
        if let failure { throw failure }
    }

    // MARK: Values

    /// Takes a value that one column stores.
    @inline(__always)
    func put(_ value: some Bindable, _ name: String, _ stored: @autoclosure () -> Value) {
        guard !collects else {
            names.append(name)
            values.append(stored())
            return
        }
        guard fits, next < slots.count, slots[next].name.hasSameBytes(as: name) else {
            fits = false
            return
        }
        if slots[next].isBound { unsafe parameters?.pointee.append(value) }
        next += 1
    }

    func putNull(_ name: String) {
        if next < slots.count, slots[next].isKey { lacksKey = true }
        put(Value.null, name, .null)
    }

    func put(_ value: Int64, _ name: String) { put(value, name, .integer(value)) }

    func put(_ value: String, _ name: String) { put(value, name, .text(value)) }

    func put(_ value: [UInt8], _ name: String) { put(value, name, .blob(value)) }

    func put(_ value: Double, _ name: String) {
        guard !value.isNaN else {
            return refuse(name, "is NaN, and SQLite would store NULL", "use an optional, and nil")
        }
        put(value, name, .real(value))
    }

    func put(exactly value: some FixedWidthInteger, _ name: String) {
        guard let number = Int64(exactly: value) else {
            return refuse(name, "is out of the range of INTEGER, which ends at \(Int64.max)", "store it as text")
        }
        put(number, name)
    }

    /// A value of a type that is known only at run time.
    func put<Element: Encodable>(_ value: Element, codable name: String) throws {
        // Compared first, since looking up a type's conformances takes longer than all the rest.
        if let bytes = same(value, as: [UInt8].self) { return put(bytes, name) }
        #if Foundation
        if try putFoundation(value, name) { return }
        #else
        if FoundationTypes.contain(Element.self) {
            return refuse(name, "is a \(Element.self)", FoundationTypes.hint)
        }
        #endif
        let column = idle ?? ColumnEncoder()
        idle = nil
        column.begin(name, self)
        try value.encode(to: column)
        column.end()
        idle = column
        switch column.form {
        case .value: return
        case .none: refuse(name, "encodes no value", "encode one, or nil")
        case .nested: try putNested(value, name)
        }
    }

    private func putNested(_ value: some Encodable, _ name: String) throws {
        #if Foundation
        do {
            put(try JSONText.text(value), name)
        } catch is EncodingError {
            refuse(name, "does not encode as JSON", "numbers must be finite")
        }
        #else
        refuse(name, "is nested, and is stored as JSON", FoundationTypes.hint)
        #endif
    }

    /// How the column of this name stores dates and UUIDs.
    func strategies(_ name: String) -> (dates: DateColumns, uuids: UUIDColumns) {
        guard next < slots.count, slots[next].name.hasSameBytes(as: name) else {
            return (type.dates(for: name), type.uuids(for: name))
        }
        return (slots[next].dates, slots[next].uuids)
    }

    // MARK: Refusals

    /// Keeps the first reason why a property cannot be stored.
    func refuse(_ name: String, _ what: String, _ hint: String? = nil) {
        guard failure == nil else { return }
        failure = LockstepError(
            .bindMismatch, "\(type).\(name) \(what)", hint: hint, context: .init(table: type.table, column: name))
    }

    func refuse(_ what: String) {
        guard failure == nil else { return }
        failure = LockstepError(
            .bindMismatch, "\(type) encodes itself as \(what), and not its properties by name",
            hint: "encode each property in a keyed container", context: .init(table: type.table))
    }
}

/// `value` as a value of the type that it has.
@inline(__always)
func same<Value, Wanted>(_ value: Value, as type: Wanted.Type) -> Wanted? {
    guard Value.self == Wanted.self else { return nil }
    return unsafe unsafeBitCast(value, to: Wanted.self)
}
