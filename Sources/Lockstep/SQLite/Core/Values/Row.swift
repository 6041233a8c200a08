public import CSQLCipher

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The current row of a statement, lent to a closure.
///
/// Columns are read by ordinal, counting from 0, and decode to the requested type: `let title: String = try
/// row[1]`. The conversions are strict: an INTEGER does not decode to text, and NULL decodes only to an
/// optional. Errors name column, type and SQL, never the value.
@frozen
@safe
public struct Row: ~Copyable {
    @usableFromInline
    let statement: OpaquePointer
    // The statement that lends the row outlives it.
    private let lender: Unmanaged<StatementHandle>

    @usableFromInline
    init(_ lender: StatementHandle) {
        unsafe statement = unsafe lender.handle
        unsafe self.lender = Unmanaged.passUnretained(lender)
    }

    /// The value of a column.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` if it has another type or is NULL.
    @inlinable
    public subscript<Element: ColumnDecodable>(_ column: Int) -> Element {
        get throws(LockstepError) {
            try Element(column: Int32(clamping: column), of: self)
        }
    }

    /// The value of the column with this name in the statement's result, which `AS` can set. Ordinals are
    /// faster: this looks the name up, which takes about 40 ns.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` if there is no such column, or as for ordinals.
    public subscript<Element: ColumnDecodable>(_ name: String) -> Element {
        get throws(LockstepError) {
            guard let ordinal = columns.ordinal(of: name) else {
                throw LockstepError(
                    .decodeMismatch, "there is no column \(name) in: \(sql)",
                    hint: "the columns are \(columns.names.joined(separator: ", "))")
            }
            return try Element(column: ordinal, of: self)
        }
    }

    /// The number of columns.
    @inlinable
    public var count: Int { unsafe Int(sqlite3_data_count(statement)) }

    var reader: RowReader { unsafe lender._withUnsafeGuaranteedRef { $0.reader } }

    /// The columns' names and their ordinals.
    var columns: ColumnLayout { unsafe lender._withUnsafeGuaranteedRef { $0.columns } }

    /// The bytes of a TEXT or BLOB in SQLite's memory, without a copy. They are valid as long as the row.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for other types and NULL.
    @_lifetime(borrow self)
    public func bytes(_ column: Int) throws(LockstepError) -> RawSpan {
        let ordinal = Int32(clamping: column)
        let value = unsafe value(ordinal)
        let start: UnsafeRawPointer?
        switch unsafe sqlite3_value_type(value) {
        case SQLITE_TEXT: unsafe start = unsafe UnsafeRawPointer(sqlite3_value_text(value))
        case SQLITE_BLOB: unsafe start = unsafe sqlite3_value_blob(value)
        default: throw mismatch(ordinal, "TEXT or BLOB")
        }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
        return unsafe _overrideLifetime(bytes.bytes, borrowing: self)
    }

    // Handles are opened without SQLite's mutexes and used by one thread at a time, so the value can be read in
    // place (SQLite's documentation, "Protected and unprotected sqlite3_value").
    @inlinable
    func value(_ column: Int32) -> OpaquePointer? { unsafe sqlite3_column_value(statement, column) }

    /// Whether the column is a TEXT with exactly these bytes.
    func holds(_ bytes: [UInt8], at column: Int) -> Bool {
        let value = unsafe value(Int32(clamping: column))
        guard unsafe sqlite3_value_type(value) == SQLITE_TEXT,
            unsafe sqlite3_value_bytes(value) == bytes.count
        else { return false }
        guard let start = unsafe sqlite3_value_text(value) else { return false }
        return unsafe bytes.withUnsafeBytes { bytes in
            guard let other = bytes.baseAddress else { return true }
            return unsafe memcmp(start, other, bytes.count) == 0
        }
    }

    /// The value of a column for display: bytes of a TEXT that are not UTF-8 become U+FFFD.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` if there is no such column.
    public func leniently(_ column: Int) throws(LockstepError) -> Value {
        let ordinal = Int32(clamping: column)
        guard unsafe sqlite3_column_type(statement, ordinal) == SQLITE_TEXT else {
            return try self[column]
        }
        let start = unsafe sqlite3_column_text(statement, ordinal)
        let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, ordinal)))
        return .text(unsafe String(decoding: bytes, as: UTF8.self))
    }

    /// The column's name in the statement's result.
    public func name(of column: Int) -> String {
        guard let name = unsafe sqlite3_column_name(statement, Int32(clamping: column))
        else {
            return ""
        }
        return unsafe String(cString: name)
    }

    /// Whether the column is NULL. A column that does not exist is an error.
    @inlinable
    func isNull(_ column: Int32) throws(LockstepError) -> Bool {
        guard unsafe sqlite3_column_type(statement, column) == SQLITE_NULL else { return false }
        // SQLite also reports NULL for ordinals out of range.
        guard column >= 0, unsafe column < sqlite3_data_count(statement) else {
            throw outOfRange(column)
        }
        return true
    }

    /// The value of a column of storage class `type`.
    @inlinable
    func value(
        _ column: Int32, _ type: Int32, _ wanted: StaticString
    ) throws(LockstepError) -> OpaquePointer? {
        let value = unsafe value(column)
        guard unsafe sqlite3_value_type(value) == type else { throw mismatch(column, wanted) }
        return unsafe value
    }

    @usableFromInline
    func outOfRange(_ column: Int32) -> LockstepError {
        LockstepError(
            .decodeMismatch, "there is no column \(column): the row has \(counted(count, "column")) in: \(sql)")
    }

    @usableFromInline
    func mismatch(_ column: Int32, _ wanted: StaticString) -> LockstepError {
        guard column >= 0, column < count else { return outOfRange(column) }
        let type =
            switch unsafe sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: "INTEGER"
            case SQLITE_FLOAT: "REAL"
            case SQLITE_TEXT: "TEXT"
            case SQLITE_BLOB: "BLOB"
            default: "NULL"
            }
        return LockstepError(
            .decodeMismatch, "column \(column) (\(name(of: Int(column)))) is \(type), not \(wanted), in: \(sql)",
            hint: type == "NULL" ? "decode an optional if the column can be NULL" : nil)
    }

    /// The error for a number that its type does not hold.
    @usableFromInline
    func outOfRange(_ column: Int32, of type: Any.Type) -> LockstepError {
        LockstepError(
            .decodeMismatch, "column \(column) (\(name(of: Int(column)))) is out of the range of \(type), in: \(sql)",
            hint: "decode a type with a larger range")
    }

    private var sql: String {
        guard let text = unsafe sqlite3_sql(statement) else { return "" }
        return SQLTokens.redact(unsafe String(cString: text))
    }
}

extension Int64: ColumnDecodable {
    /// Decodes an INTEGER.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for anything else.
    @inlinable
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        self = unsafe sqlite3_value_int64(try row.value(column, SQLITE_INTEGER, "INTEGER"))
    }
}

extension Int: ColumnDecodable {
    /// Decodes an INTEGER.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for anything else.
    @inlinable
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        self = Int(truncatingIfNeeded: try Int64(column: column, of: row))
    }
}

extension Bool: ColumnDecodable {
    /// Decodes an INTEGER: 0 is false, everything else is true, as in SQL.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for another type.
    @inlinable
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        self = try Int64(column: column, of: row) != 0
    }
}

extension Double: ColumnDecodable {
    /// Decodes a REAL, or an INTEGER that a `Double` holds exactly.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for anything else, such as 2^53 + 1.
    @inlinable
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        let value = unsafe row.value(column)
        switch unsafe sqlite3_value_type(value) {
        case SQLITE_FLOAT: self = unsafe sqlite3_value_double(value)
        case SQLITE_INTEGER:
            guard let number = unsafe Double(exactly: sqlite3_value_int64(value)) else {
                throw row.mismatch(column, "a number that a Double holds exactly")
            }
            self = number
        default: throw row.mismatch(column, "a number")
        }
    }
}

extension String: ColumnDecodable {
    /// Decodes a TEXT.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for anything else, and for bytes that are not UTF-8.
    @inlinable
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        let value = unsafe try row.value(column, SQLITE_TEXT, "TEXT")
        let start = unsafe sqlite3_value_text(value)
        let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
        do {
            self = String(copying: try UTF8Span(validating: unsafe bytes.span))
        } catch {
            throw row.mismatch(column, "valid UTF-8")
        }
    }
}

extension SQLName: ColumnDecodable {
    package init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        self.init(try String(column: column, of: row))
    }
}

extension [UInt8]: ColumnDecodable {
    /// Decodes a BLOB.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for anything else.
    @inlinable
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        let value = unsafe try row.value(column, SQLITE_BLOB, "BLOB")
        let start = unsafe sqlite3_value_blob(value)
        let count = unsafe Int(sqlite3_value_bytes(value))
        self = unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}

extension Optional: ColumnDecodable where Wrapped: ColumnDecodable {
    /// Decodes the value, or nil for NULL.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for another type, and if there is no such column.
    @inlinable
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        self = try row.isNull(column) ? nil : try Wrapped(column: column, of: row)
    }
}

extension Value: ColumnDecodable {
    /// Decodes a value of any storage class.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for a TEXT that is not UTF-8, and if there is no such column.
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        switch unsafe sqlite3_column_type(row.statement, column) {
        case SQLITE_INTEGER: self = .integer(try Int64(column: column, of: row))
        case SQLITE_FLOAT: self = .real(try Double(column: column, of: row))
        case SQLITE_TEXT: self = .text(try String(column: column, of: row))
        case SQLITE_BLOB: self = .blob(try [UInt8](column: column, of: row))
        default:
            _ = try row.isNull(column)
            self = .null
        }
    }
}
