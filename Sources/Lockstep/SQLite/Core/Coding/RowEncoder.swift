/// Encodes a record: each property to the column of its name.
struct RowEncoder: Encoder {
    let sink: RowSink
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(EncodedProperties<Key>(sink: sink))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        sink.refuse("a list")
        return NoValues()
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        sink.refuse("one value")
        return NoValues()
    }
}

/// A record's properties as columns.
private struct EncodedProperties<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let sink: RowSink
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { sink.putNull(key.stringValue) }
    func encode(_ value: Bool, forKey key: Key) { sink.put(Int64(value ? 1 : 0), key.stringValue) }
    func encode(_ value: String, forKey key: Key) { sink.put(value, key.stringValue) }
    func encode(_ value: Double, forKey key: Key) { sink.put(value, key.stringValue) }
    func encode(_ value: Float, forKey key: Key) { sink.put(Double(value), key.stringValue) }
    func encode(_ value: Int, forKey key: Key) { sink.put(Int64(value), key.stringValue) }
    func encode(_ value: Int8, forKey key: Key) { sink.put(Int64(value), key.stringValue) }
    func encode(_ value: Int16, forKey key: Key) { sink.put(Int64(value), key.stringValue) }
    func encode(_ value: Int32, forKey key: Key) { sink.put(Int64(value), key.stringValue) }
    func encode(_ value: Int64, forKey key: Key) { sink.put(value, key.stringValue) }
    func encode(_ value: UInt, forKey key: Key) { sink.put(exactly: value, key.stringValue) }
    func encode(_ value: UInt8, forKey key: Key) { sink.put(Int64(value), key.stringValue) }
    func encode(_ value: UInt16, forKey key: Key) { sink.put(Int64(value), key.stringValue) }
    func encode(_ value: UInt32, forKey key: Key) { sink.put(Int64(value), key.stringValue) }
    func encode(_ value: UInt64, forKey key: Key) { sink.put(exactly: value, key.stringValue) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try sink.put(value, codable: key.stringValue)
    }

    // Swift leaves nil out; a column of a record is NULL then.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: String?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: Double?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: Float?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: Int?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) { integer(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) { integer(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) { integer(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) { integer(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) { integer(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) { integer(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) { integer(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) { integer(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) { integer(value, key) }
    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    private func integer(_ value: (some FixedWidthInteger)?, _ key: Key) {
        if let value { sink.put(exactly: value, key.stringValue) } else { encodeNil(forKey: key) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        refuseNested(key.stringValue)
        return KeyedEncodingContainer(NoProperties<Nested>())
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        refuseNested(key.stringValue)
        return NoValues()
    }

    func superEncoder() -> any Encoder { superEncoder(named: "super") }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(named: key.stringValue) }

    private func superEncoder(named name: String) -> any Encoder {
        refuseNested(name)
        return NoValues()
    }

    private func refuseNested(_ name: String) {
        sink.refuse(
            name, "is encoded in a container of its own", "encode a value of a Codable type, which is stored as JSON")
    }
}

/// One column, for types that encode themselves as a single value, such as enumerations with raw values. Of a type that
/// asks for more, it finds out only that.
final class ColumnEncoder: Encoder, SingleValueEncodingContainer {
    /// What a type has asked for.
    enum Form {
        case none, value, nested
    }

    /// Nil between two values: a sink that keeps its encoder would otherwise be kept by it, with every value.
    private var sink: RowSink?
    private var name = ""
    private(set) var form = Form.none

    /// Begins the value of this property.
    func begin(_ name: String, _ sink: RowSink) {
        (self.name, self.sink, form) = (name, sink, .none)
    }

    /// Ends it. What the value's type does with the encoder afterwards has no effect.
    func end() { (name, sink) = ("", nil) }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        form = .nested
        return KeyedEncodingContainer(NoProperties<Key>())
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        form = .nested
        return NoValues()
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// The property's name, for the one value that it has.
    private func taking() -> String {
        form = .value
        return name
    }

    func encodeNil() { sink?.putNull(taking()) }
    func encode(_ value: Bool) { sink?.put(Int64(value ? 1 : 0), taking()) }
    func encode(_ value: String) { sink?.put(value, taking()) }
    func encode(_ value: Double) { sink?.put(value, taking()) }
    func encode(_ value: Float) { sink?.put(Double(value), taking()) }
    func encode(_ value: Int) { sink?.put(Int64(value), taking()) }
    func encode(_ value: Int8) { sink?.put(Int64(value), taking()) }
    func encode(_ value: Int16) { sink?.put(Int64(value), taking()) }
    func encode(_ value: Int32) { sink?.put(Int64(value), taking()) }
    func encode(_ value: Int64) { sink?.put(value, taking()) }
    func encode(_ value: UInt) { sink?.put(exactly: value, taking()) }
    func encode(_ value: UInt8) { sink?.put(Int64(value), taking()) }
    func encode(_ value: UInt16) { sink?.put(Int64(value), taking()) }
    func encode(_ value: UInt32) { sink?.put(Int64(value), taking()) }
    func encode(_ value: UInt64) { sink?.put(exactly: value, taking()) }
    func encode<Value: Encodable>(_ value: Value) throws {
        try sink?.put(value, codable: taking())
    }
}

/// Takes what a type encodes where no columns are, and keeps nothing.
private struct NoProperties<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var codingPath: [any CodingKey] { [] }
    func encodeNil(forKey key: Key) {}
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) {}
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { KeyedEncodingContainer(NoProperties<Nested>()) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { NoValues() }
    func superEncoder() -> any Encoder { NoValues() }
    func superEncoder(forKey key: Key) -> any Encoder { NoValues() }
}

/// The same for lists and single values.
private struct NoValues: Encoder, UnkeyedEncodingContainer, SingleValueEncodingContainer {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    var count: Int { 0 }
    func encodeNil() {}
    func encode<Value: Encodable>(_ value: Value) {}
    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(NoProperties<Key>())
    }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }
    func nestedContainer<Key: CodingKey>(
        keyedBy type: Key.Type
    ) -> KeyedEncodingContainer<Key> { KeyedEncodingContainer(NoProperties<Key>()) }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { self }
}
