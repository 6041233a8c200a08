internal import CSQLCipher

/// A Swift value that can stand for a parameter of a statement.
public protocol Bindable {
    /// Binds the value to parameter `index` of `statement`, counting from 1, and gives SQLite's result
    /// code.
    func bind(to statement: borrowing Statement, at index: Int32) -> Int32
}

extension Int64: Bindable {
    /// Binds an INTEGER.
    public func bind(to statement: borrowing Statement, at index: Int32) -> Int32 {
        unsafe sqlite3_bind_int64(statement.handle, index, self)
    }
}

extension Int: Bindable {
    /// Binds an INTEGER.
    public func bind(to statement: borrowing Statement, at index: Int32) -> Int32 {
        Int64(self).bind(to: statement, at: index)
    }
}

extension UInt32: Bindable {
    /// Binds an INTEGER.
    public func bind(to statement: borrowing Statement, at index: Int32) -> Int32 {
        Int64(self).bind(to: statement, at: index)
    }
}

extension Bool: Bindable {
    /// Binds the INTEGER 1 or 0.
    public func bind(to statement: borrowing Statement, at index: Int32) -> Int32 {
        Int64(self ? 1 : 0).bind(to: statement, at: index)
    }
}

extension Double: Bindable {
    /// Binds a REAL. SQLite stores NaN as NULL.
    public func bind(to statement: borrowing Statement, at index: Int32) -> Int32 {
        unsafe sqlite3_bind_double(statement.handle, index, self)
    }
}

extension String: Bindable {
    /// Binds a TEXT; NUL bytes are kept.
    public func bind(to statement: borrowing Statement, at index: Int32) -> Int32 {
        var text = self
        return text.withUTF8 { utf8 in
            // An empty text needs an address, or it would be NULL.
            unsafe withUnsafePointer(to: CChar(0)) { empty in
                let start = unsafe UnsafeRawPointer(utf8.baseAddress)?
                    .assumingMemoryBound(to: CChar.self)
                return unsafe sqlite3_bind_text64(
                    statement.handle, index, start ?? empty, UInt64(utf8.count), transient,
                    UInt8(SQLITE_UTF8))
            }
        }
    }
}

extension [UInt8]: Bindable {
    /// Binds a BLOB.
    public func bind(to statement: borrowing Statement, at index: Int32) -> Int32 {
        guard !isEmpty else { return unsafe sqlite3_bind_zeroblob(statement.handle, index, 0) }
        return unsafe withUnsafeBytes {
            unsafe sqlite3_bind_blob64(
                statement.handle, index, $0.baseAddress, UInt64($0.count), transient)
        }
    }
}

extension Optional: Bindable where Wrapped: Bindable {
    /// Binds the value, or NULL.
    public func bind(to statement: borrowing Statement, at index: Int32) -> Int32 {
        switch self {
        case .some(let value): value.bind(to: statement, at: index)
        case .none: unsafe sqlite3_bind_null(statement.handle, index)
        }
    }
}

extension Value: Bindable {
    /// Binds the value in its own storage class.
    public func bind(to statement: borrowing Statement, at index: Int32) -> Int32 {
        switch self {
        case .null: unsafe sqlite3_bind_null(statement.handle, index)
        case .integer(let value): value.bind(to: statement, at: index)
        case .real(let value): value.bind(to: statement, at: index)
        case .text(let value): value.bind(to: statement, at: index)
        case .blob(let value): value.bind(to: statement, at: index)
        }
    }
}

/// Tells SQLite to copy what it is given. SQLITE_TRANSIENT is a macro that Swift cannot import.
var transient: sqlite3_destructor_type? {
    unsafe unsafeBitCast(-1, to: sqlite3_destructor_type?.self)
}
