#if Foundation
internal import CSQLCipher
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension DateText: Bindable {
    init?(_ date: Date) { self.init(secondsSince2001: date.timeIntervalSinceReferenceDate) }

    func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        let bytes = bytes
        return unsafe bytes.span.withUnsafeBytes { unsafe parameters.bindText($0, index) }
    }
}

extension Date: Bindable, ColumnDecodable {
    /// Binds a TEXT such as `2026-11-23T02:13:20.123456Z`; a date before the year 0 or after 9999 is an error of the
    /// run.
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        DateText(self)?.bind(to: parameters, at: index) ?? SQLITE_MISMATCH
    }

    /// Decodes a TEXT in the form that is bound, or in those of SQLite and GRDB, as UTC.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for anything else, such as a number or 30 February.
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        let value = unsafe row.value(column)
        let type = unsafe sqlite3_value_type(value)
        guard type == SQLITE_TEXT, let start = unsafe sqlite3_value_text(value) else {
            let error = row.mismatch(column, "a date as TEXT")
            guard type == SQLITE_INTEGER || type == SQLITE_FLOAT else { throw error }
            throw LockstepError(
                error.code, error.message,
                hint:
                    "say what the number means: `static func dates(for column: String) -> DateColumns` of a Record gives \(DateColumns.spellings)"
            )
        }
        let bytes = unsafe UnsafeBufferPointer(
            start: start, count: Int(sqlite3_value_bytes(value)))
        guard let text = unsafe DateText(bytes.span) else {
            throw row.misfit(
                column, "a date that exists, in the form 2026-11-23T02:13:20.123456Z")
        }
        self = Date(text)
    }

    init(_ text: DateText) { self.init(timeIntervalSinceReferenceDate: text.secondsSince2001) }
}

extension Data: Bindable, ColumnDecodable {
    /// Binds a BLOB.
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        unsafe withUnsafeBytes { unsafe parameters.bindBlob($0, index) }
    }

    /// Decodes a BLOB.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for anything else.
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        let value = unsafe try row.value(column, SQLITE_BLOB, "BLOB")
        let start = unsafe sqlite3_value_blob(value)
        let count = unsafe Int(sqlite3_value_bytes(value))
        self = unsafe Data(UnsafeRawBufferPointer(start: start, count: count))
    }
}

extension UUID: Bindable, ColumnDecodable {
    /// Binds a TEXT in upper case.
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        uuidString.bind(to: parameters, at: index)
    }

    /// Decodes a TEXT in upper or in lower case.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for anything else, such as one with letters of both cases, which
    ///   no index finds.
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        let value = unsafe row.value(column)
        if unsafe sqlite3_value_type(value) == SQLITE_BLOB {
            throw LockstepError(
                .decodeMismatch, row.mismatch(column, "a UUID as TEXT").message,
                hint:
                    "if these are its 16 bytes, say so: `static func uuids(for column: String) -> UUIDColumns` of a Record gives .blob"
            )
        }
        let text = try String(column: column, of: row)
        guard UUIDText(text.utf8Span.span) != nil, let id = UUID(uuidString: text) else {
            throw row.misfit(column, "a UUID in upper or in lower case")
        }
        self = id
    }

    /// Its 16 bytes.
    var bytes: [UInt8] { unsafe withUnsafeBytes(of: uuid) { unsafe Array($0) } }

    /// The UUID of 16 bytes; nil for another number.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        var id: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        unsafe withUnsafeMutableBytes(of: &id) { unsafe $0.copyBytes(from: bytes) }
        self.init(uuid: id)
    }
}

extension URL: Bindable, ColumnDecodable {
    /// Binds the absolute URL as TEXT.
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        absoluteString.bind(to: parameters, at: index)
    }

    /// Decodes a TEXT.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for anything else.
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        guard let url = URL(string: try String(column: column, of: row)) else {
            throw row.misfit(column, "a URL")
        }
        self = url
    }
}

extension Decimal: Bindable, ColumnDecodable {
    /// Binds a TEXT such as `-12.5`, which SQL does not sort as numbers.
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        isNaN ? SQLITE_MISMATCH : description.bind(to: parameters, at: index)
    }

    /// Decodes a TEXT of digits with a sign and a point.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for anything else, and for more digits than a `Decimal` has.
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        guard let number = Self.read(try String(column: column, of: row)) else {
            throw row.misfit(column, "a decimal number of at most 38 digits")
        }
        self = number
    }

    /// The number of a text; nil if it is none, or has more digits than a `Decimal`.
    static func read(_ text: String) -> Decimal? {
        guard let plain = plain(text), let number = Decimal(string: plain),
            number.description == plain
        else { return nil }
        return number
    }

    /// The number without needless zeros, as ``description`` gives it; nil for what is not a number.
    private static func plain(_ text: String) -> String? {
        let isNegative = text.begins(with: "-")
        let parts = text.dropFirst(isNegative ? 1 : 0)
            .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isASCIIDigit) }) else {
            return nil
        }
        let whole = parts[0].drop(while: { $0 == "0" })
        var fraction = parts.count > 1 ? parts[1] : ""
        while fraction.last == "0" { fraction.removeLast() }
        let digits = (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : "." + fraction)
        return (isNegative && digits != "0" ? "-" : "") + digits
    }
}

extension Row {
    /// A TEXT that is not what it should be. Its value is not shown.
    fileprivate func misfit(_ column: Int32, _ wanted: String) -> LockstepError {
        LockstepError(
            .decodeMismatch, "column \(column) (\(name(of: Int(column)))) is not \(wanted)",
            context: .init(column: name(of: Int(column))))
    }
}

// MARK: Records

extension RowSink {
    /// Takes a value of one of Foundation's types; false for another type.
    func putFoundation<Element>(_ value: Element, _ name: String) throws -> Bool {
        if let date = same(value, as: Date.self) {
            put(date, name)
        } else if let data = same(value, as: Data.self) {
            put(data, name, .blob(Array(data)))
        } else if let id = same(value, as: UUID.self) {
            switch strategies(name).uuids {
            case .text: put(id.uuidString, name)
            case .blob: put(id.bytes, name)
            }
        } else if let url = same(value, as: URL.self) {
            put(url.absoluteString, name)
        } else if let number = same(value, as: Decimal.self) {
            if number.isNaN { refuse(name, "is not a number") }
            put(number.description, name)
        } else {
            return false
        }
        return true
    }

    private func put(_ date: Date, _ name: String) {
        let strategy = strategies(name).dates
        if strategy == .iso8601, let text = DateText(date) {
            return put(text, name, .text(text.description))
        }
        guard let value = strategy.value(date) else {
            return refuse(
                name, "is a date that its column cannot hold",
                strategy == .iso8601 ? "text holds the years 0 to 9999" : nil)
        }
        put(value, name, value)
    }
}

extension BorrowedRow {
    /// A value of one of Foundation's types, or an optional of one whose column says how it is stored; nil for another
    /// type.
    func foundationValue<Value: Decodable>(
        _ column: Int32, _ type: Value.Type
    ) throws -> Value? {
        if type == Date.self { return same(try date(column), as: type) }
        if type == UUID.self { return same(try uuid(column), as: type) }
        if type == Date?.self {
            return same(try isNull(column) ? nil : try date(column), as: type)
        }
        if type == UUID?.self {
            return same(try isNull(column) ? nil : try uuid(column), as: type)
        }
        if type == Data.self { return same(try decode(column) as Data, as: type) }
        if type == URL.self { return same(try decode(column) as URL, as: type) }
        if type == Decimal.self { return same(try decode(column) as Decimal, as: type) }
        return nil
    }

    private func date(_ column: Int32) throws -> Date {
        guard let record, case let strategy = record.dates(for: name(column)),
            strategy != .iso8601
        else { return try decode(column) }
        guard let date = strategy.date(try decode(column)) else {
            throw unlike(column, "a number of \(strategy)", "\(record).dates(for:)")
        }
        return date
    }

    private func uuid(_ column: Int32) throws -> UUID {
        guard let record, record.uuids(for: name(column)) == .blob else {
            return try decode(column)
        }
        guard case .blob(let bytes) = try decode(column) as Value, let id = UUID(bytes) else {
            throw unlike(column, "a BLOB of 16 bytes", "\(record).uuids(for:)")
        }
        return id
    }

    private func unlike(
        _ column: Int32, _ wanted: String, _ function: String
    ) -> LockstepError {
        LockstepError(
            .decodeMismatch, "column \(column) (\(name(column))) is not \(wanted)",
            hint: "\(function) says how it is stored", context: .init(column: name(column)))
    }
}

/// Values of other types as JSON: keys are sorted, and dates have the form that columns have.
enum JSONText {
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            guard let text = DateText(date) else {
                throw EncodingError.invalidValue(
                    date, .init(codingPath: [], debugDescription: ""))
            }
            try container.encode(text.description)
        }
        return encoder
    }()

    private static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let text = DateText(try container.decode(String.self).utf8Span.span) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "")
            }
            return Date(text)
        }
        return decoder
    }()

    static func text(_ value: some Encodable) throws -> String {
        String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func value<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try decoder.decode(type, from: Data(text.utf8))
    }
}
#else
/// Foundation's types, which encode themselves in ways that are not those of columns.
enum FoundationTypes {
    static let hint = "enable the trait Foundation of the package lockstep"

    /// Whether the type is one of them.
    static func contain(_ type: Any.Type) -> Bool {
        guard let module = String(reflecting: type).split(separator: ".").first,
            module.hasPrefix("Foundation")
        else { return false }
        return ["Date", "Data", "UUID", "URL", "Decimal"].contains("\(type)")
    }
}
#endif
