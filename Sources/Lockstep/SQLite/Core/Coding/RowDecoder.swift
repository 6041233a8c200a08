/// Decodes rows to any `Decodable` type: each property from the column of the same name.
///
/// It is convenient, and takes about half as long again as ``RowDecodable``. The column of an optional property can be
/// missing. ``Record`` lists the types of properties; what is nested is JSON.
struct RowDecoder: Decoder {
    let row: BorrowedRow
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Properties<Key>(row: row))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw Self.unsuited("a list")
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        ColumnDecoder(row: row, column: 0)
    }

    fileprivate static func unsuited(_ what: String) -> LockstepError {
        LockstepError(
            .decodeMismatch, "\(what) cannot be decoded from a column",
            hint: "decode the row with a closure, or store the value in another form")
    }
}

extension Row {
    /// The row as a value of a `Decodable` type; ``RowDecodable`` is the fast way.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for a missing column or another type; what the type's
    ///   own `init(from:)` throws.
    public borrowing func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try unsafe withUnsafePointer(to: self) { pointer in
            try unsafe pointer.pointee.reader.reading(pointer, as: type) { row in
                do {
                    #if Foundation
                    if let value = try row.foundationValue(0, type) { return value }
                    #endif
                    return try Value(from: RowDecoder(row: row))
                } catch is DecodingError {
                    throw row.misfit("the row", type)
                }
            }
        }
    }
}

/// A row's columns as a type's properties.
private struct Properties<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let row: BorrowedRow
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { row.names.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { (try? row.column(key.stringValue)) != nil }

    private func column(_ key: Key) throws -> Int32 {
        guard let column = try row.column(key.stringValue) else {
            throw LockstepError(
                .decodeMismatch, "there is no column for the property \(key.stringValue)",
                hint: "the columns are \(row.names.joined(separator: ", "))")
        }
        return column
    }

    // Inlined, these are specialized once per type; otherwise they would search type tables for each column.
    @inline(__always)
    private func get<Element: ColumnDecodable>(_ key: Key) throws -> Element {
        try row.decode(column(key))
    }

    private func integer<Number: FixedWidthInteger>(_ key: Key) throws -> Number {
        try row.integer(column(key), key.stringValue)
    }

    private func getIfPresent<Element: ColumnDecodable>(_ key: Key) throws -> Element? {
        guard let column = try row.column(key.stringValue) else { return nil }
        return try row.decode(column) as Element?
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        guard let column = try row.column(key.stringValue) else { return true }
        return try row.isNull(column)
    }

    func decode(_: Bool.Type, forKey key: Key) throws -> Bool { try get(key) }
    func decode(_: String.Type, forKey key: Key) throws -> String { try get(key) }
    func decode(_: Double.Type, forKey key: Key) throws -> Double { try get(key) }
    func decode(_: Float.Type, forKey key: Key) throws -> Float {
        try row.float(column(key), key.stringValue)
    }
    func decode(_: Int.Type, forKey key: Key) throws -> Int { try get(key) }
    func decode(_: Int8.Type, forKey key: Key) throws -> Int8 { try integer(key) }
    func decode(_: Int16.Type, forKey key: Key) throws -> Int16 { try integer(key) }
    func decode(_: Int32.Type, forKey key: Key) throws -> Int32 { try integer(key) }
    func decode(_: Int64.Type, forKey key: Key) throws -> Int64 { try get(key) }
    func decode(_: UInt.Type, forKey key: Key) throws -> UInt { try integer(key) }
    func decode(_: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(key) }
    func decode(_: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(key) }
    func decode(_: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(key) }
    func decode(_: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(key) }

    func decodeIfPresent(_: Bool.Type, forKey key: Key) throws -> Bool? { try getIfPresent(key) }
    func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? {
        try getIfPresent(key)
    }
    func decodeIfPresent(_: Double.Type, forKey key: Key) throws -> Double? {
        try getIfPresent(key)
    }
    func decodeIfPresent(_: Int.Type, forKey key: Key) throws -> Int? { try getIfPresent(key) }
    func decodeIfPresent(_: Int64.Type, forKey key: Key) throws -> Int64? {
        try getIfPresent(key)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try row.value(column(key), type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        throw RowDecoder.unsuited("the nested property \(key.stringValue)")
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw RowDecoder.unsuited("the list \(key.stringValue)")
    }

    func superDecoder() throws -> any Decoder { throw RowDecoder.unsuited("a superclass") }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        throw RowDecoder.unsuited("a superclass")
    }
}

extension BorrowedRow {
    /// An integer of any width; one that does not fit is an error, and is not truncated.
    fileprivate func integer<Number: FixedWidthInteger>(
        _ column: Int32, _ name: String
    ) throws -> Number {
        guard let number = Number(exactly: try decode(column) as Int64) else {
            throw LockstepError(.decodeMismatch, "column \(column) (\(name)) is out of the range of \(Number.self)")
        }
        return number
    }

    /// The `Float` that is nearest to a REAL, or equal to an INTEGER; one beyond its range is an error, and is neither
    /// infinity nor 0.
    fileprivate func float(_ column: Int32, _ name: String) throws -> Float {
        let number = try decode(column) as Double
        guard let float = Float(nearest: number), try number == Double(float) || !isInteger(column) else {
            throw LockstepError(
                .decodeMismatch, "column \(column) (\(name)) is a number that no Float holds",
                hint: "declare the property a Double", context: .init(column: name))
        }
        return float
    }

    private func isInteger(_ column: Int32) throws -> Bool {
        if case .integer = try decode(column) as Value { true } else { false }
    }

    /// A value of a type that is known only at run time.
    fileprivate func value<Value: Decodable>(_ column: Int32, _ type: Value.Type) throws -> Value {
        // Compared first, since looking up a type's conformances takes longer than all the rest.
        if type == [UInt8].self, let bytes = try decode(column) as [UInt8] as? Value {
            return bytes
        }
        #if Foundation
        if let value = try foundationValue(column, type) { return value }
        #else
        if FoundationTypes.contain(type) {
            throw LockstepError(
                .decodeMismatch, "column \(column) (\(name(column))) is read as a \(type)",
                hint: FoundationTypes.hint, context: .init(column: name(column)))
        }
        #endif
        if let decodable = type as? any ColumnDecodable.Type, let value = try decode(column, as: decodable) as? Value {
            return value
        }
        do {
            return try Value(from: ColumnDecoder(row: self, column: column))
        } catch is NestedValue {
            return try nested(column, type)
        } catch is DecodingError {
            throw misfit("column \(column) (\(name(column)))", type)
        }
    }

    /// A value that is stored as JSON.
    private func nested<Value: Decodable>(_ column: Int32, _ type: Value.Type) throws -> Value {
        #if Foundation
        let text: String = try decode(column)
        do {
            return try JSONText.value(type, text)
        } catch is DecodingError {
            throw misfit("the JSON of column \(column) (\(name(column)))", type)
        }
        #else
        throw LockstepError(
            .decodeMismatch, "column \(column) (\(name(column))) is read as JSON",
            hint: FoundationTypes.hint, context: .init(column: name(column)))
        #endif
    }

    /// Replaces Swift's own errors, which reveal the value that did not fit.
    fileprivate func misfit<Value>(_ what: String, _ type: Value.Type) -> LockstepError {
        LockstepError(
            .decodeMismatch, "\(what) does not decode to \(type)",
            hint: "the columns are \(names.joined(separator: ", "))")
    }

    private func decode<Element: ColumnDecodable>(
        _ column: Int32, as type: Element.Type
    ) throws -> Any { try decode(column) as Element }
}

extension Float {
    /// The nearest one; nil if that is infinity or 0 for a number that is neither.
    init?(nearest number: Double) {
        self.init(number)
        guard isFinite == number.isFinite, self != 0 || number == 0 else { return nil }
    }
}

/// Thrown where a type asks one column for more than one value.
private struct NestedValue: Error {}

/// One column, for types that encode themselves as a single value, such as enumerations with raw values.
private struct ColumnDecoder: Decoder, SingleValueDecodingContainer {
    let row: BorrowedRow
    let column: Int32
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private var name: String { row.name(column) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw NestedValue()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NestedValue() }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { (try? row.isNull(column)) ?? false }
    func decode(_: Bool.Type) throws -> Bool { try row.decode(column) }
    func decode(_: String.Type) throws -> String { try row.decode(column) }
    func decode(_: Double.Type) throws -> Double { try row.decode(column) }
    func decode(_: Float.Type) throws -> Float { try row.float(column, name) }
    func decode(_: Int.Type) throws -> Int { try row.decode(column) }
    func decode(_: Int8.Type) throws -> Int8 { try row.integer(column, name) }
    func decode(_: Int16.Type) throws -> Int16 { try row.integer(column, name) }
    func decode(_: Int32.Type) throws -> Int32 { try row.integer(column, name) }
    func decode(_: Int64.Type) throws -> Int64 { try row.decode(column) }
    func decode(_: UInt.Type) throws -> UInt { try row.integer(column, name) }
    func decode(_: UInt8.Type) throws -> UInt8 { try row.integer(column, name) }
    func decode(_: UInt16.Type) throws -> UInt16 { try row.integer(column, name) }
    func decode(_: UInt32.Type) throws -> UInt32 { try row.integer(column, name) }
    func decode(_: UInt64.Type) throws -> UInt64 { try row.integer(column, name) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try row.value(column, type)
    }
}
