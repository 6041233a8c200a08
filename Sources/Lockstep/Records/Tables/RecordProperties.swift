@_spi(Reflection) internal import Swift
internal import Synchronization

/// The stored properties of a record type, with the columns that they are: found once for each type.
///
/// `Mirror`, the public way to their names, needs a value, and a type whose decoding refuses values that are made up,
/// such as an enumeration's, gives none. So the names come from the function that Foundation's attributed strings use.
final class RecordProperties: Sendable {
    /// A stored property.
    struct Property: Sendable {
        let name: String
        /// Its column; nil if the type's coding keys do not have its name.
        let column: String?
        let isOptional: Bool
        /// Its type, or the wrapped one of an optional.
        let type: TypeIdentity
    }

    /// A type, and what its columns hold.
    struct TypeIdentity: Sendable {
        let name: String
        let storage: Storage
        /// The form of its values, if they are read from others, too.
        let form: StoredForm.Kind?

        init(_ type: Any.Type) {
            name = "\(type)"
            storage = Storage(type)
            form = StoredForm.Kind(type)
        }
    }

    /// What a type is stored as, as far as that is the same for all its values.
    enum Storage: Sendable {
        case number, text, other

        init(_ type: Any.Type) {
            if let raw = type as? any RawRepresentable.Type {
                self = Self.ofRawValue(raw)
            } else if type == String.self {
                self = .text
            } else if type is any FixedWidthInteger.Type || type is any BinaryFloatingPoint.Type || type == Bool.self {
                self = .number
            } else {
                self = .other
            }
        }

        private static func ofRawValue<Raw: RawRepresentable>(_: Raw.Type) -> Storage {
            Storage(Raw.RawValue.self)
        }
    }

    /// Where a property lies, and its type: a property without a size has the place of the next one.
    private struct Place: Hashable {
        let offset: Int
        let type: ObjectIdentifier
    }

    /// In the order of their declaration; empty if the type has no knowledge of them.
    let all: [Property]
    /// The columns that the type declares itself.
    let declared: Set<String>  // exact: names of properties
    /// Whether a name is one of the type's coding keys; nil for a type that has none.
    let isCoded: (@Sendable (String) -> Bool)?
    private let columns: [Place: String]
    /// Places that two properties have.
    private let doubles: Set<Place>

    private static let known = Mutex<[ObjectIdentifier: RecordProperties]>([:])

    static func of<R: Record>(_ type: R.Type) -> RecordProperties {
        if let properties = known.withLock({ $0[ObjectIdentifier(type)] }) { return properties }
        // Asks the type, whose code can ask for another one's properties.
        let properties = RecordProperties(type)
        known.withLock { $0[ObjectIdentifier(type)] = properties }
        return properties
    }

    private init<R: Record>(_ type: R.Type) {
        let isCoded = CodingKeyProbe.isCoded(by: type)
        self.isCoded = isCoded
        let declared = type.columns
        self.declared = Set(declared.values)
        var named: [Int: String] = [:]
        for (path, column) in declared {
            if let offset = MemoryLayout<R>.offset(of: path) { named[offset] = column }
        }
        var all: [Property] = []
        var columns: [Place: String] = [:]
        var doubles: Set<Place> = []
        let isComplete = unsafe _forEachField(of: type) { name, offset, type, _ in
            let name = unsafe String(cString: name)
            let wrapped = (type as? any OptionalType.Type)?.wrapped
            let isPlain = isCoded?(name) ?? true
            let column = named[offset] ?? (isPlain ? name : nil)
            all.append(
                Property(name: name, column: column, isOptional: wrapped != nil, type: TypeIdentity(wrapped ?? type)))
            let place = Place(offset: offset, type: ObjectIdentifier(type))
            if columns.updateValue(column ?? "", forKey: place) != nil { doubles.insert(place) }
            return true
        }
        self.all = isComplete ? all : []
        self.columns = columns
        self.doubles = doubles
    }

    /// The column of the property at a key path.
    /// - Throws: ``LockstepError/Code/recordMisfit`` if that is not known.
    func column<R: Record, Value>(_ path: KeyPath<R, Value>) throws(LockstepError) -> String {
        try column(path, Value.self)
    }

    /// The columns of the properties at key paths.
    /// - Throws: ``LockstepError/Code/recordMisfit`` if one is not known.
    func columns<R: Record>(_ paths: [PartialKeyPath<R>]) throws(LockstepError) -> [String] {
        var columns: [String] = []
        for path in paths { columns.append(try column(path, Swift.type(of: path).valueType)) }
        return columns
    }

    private func column<R: Record>(
        _ path: PartialKeyPath<R>, _ value: Any.Type
    ) throws(LockstepError) -> String {
        if let offset = MemoryLayout<R>.offset(of: path) {
            let place = Place(offset: offset, type: ObjectIdentifier(value))
            if !doubles.contains(place), let column = columns[place], !column.isEmpty {
                return column
            }
        }
        if let column = R.columns[path] { return column }
        throw LockstepError(
            .recordMisfit,
            "the column of a property of \(R.self), a \(value), is not known: the property is "
                + "computed or observed, or its coding key has another name",
            hint: "declare it: `static var columns: [PartialKeyPath<Self>: String]`", context: .init(table: R.table))
    }
}

/// An optional of any type.
private protocol OptionalType {
    static var wrapped: Any.Type { get }
}

extension Optional: OptionalType {
    fileprivate static var wrapped: Any.Type { Wrapped.self }
}

/// Learns what a type's coding keys are. It is asked for a container of the keys, and ends there: no value is made.
private struct CodingKeyProbe: Decoder {
    private final class Answer {
        var isCoded: (@Sendable (String) -> Bool)?
    }

    private struct Ended: Error {}

    private let answer: Answer
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    static func isCoded<Coded: Decodable>(
        by type: Coded.Type
    ) -> (@Sendable (String) -> Bool)? {
        let answer = Answer()
        _ = try? Coded(from: CodingKeyProbe(answer: answer))
        return answer.isCoded
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        answer.isCoded = { name in Key(stringValue: name) != nil }
        throw Ended()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Ended() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Ended() }
}
