public import CSQLCipher

/// A Swift value that can be bound to a statement's parameter.
public protocol Bindable {
    /// Binds the value to the parameter at `index`, counting from 1, and returns SQLite's result code.
    func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32
}

extension Int64: Bindable {
    /// Binds an INTEGER.
    @inlinable
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        unsafe sqlite3_bind_int64(parameters.statement, index, self)
    }
}

extension Int: Bindable {
    /// Binds an INTEGER.
    @inlinable
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        Int64(self).bind(to: parameters, at: index)
    }
}

extension Bool: Bindable {
    /// Binds the INTEGER 1 or 0.
    @inlinable
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        Int64(self ? 1 : 0).bind(to: parameters, at: index)
    }
}

extension Double: Bindable {
    /// Binds a REAL. SQLite stores NaN as NULL.
    @inlinable
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        unsafe sqlite3_bind_double(parameters.statement, index, self)
    }
}

extension String: Bindable {
    /// Binds a TEXT; NUL bytes are kept.
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        // Unlike withUTF8 this neither copies nor retains.
        unsafe utf8Span.span.withUnsafeBytes { unsafe parameters.bindText($0, index) }
    }
}

extension Substring: Bindable {
    /// Binds a TEXT; NUL bytes are kept.
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        // Unlike withUTF8 this neither copies nor retains.
        unsafe utf8Span.span.withUnsafeBytes { unsafe parameters.bindText($0, index) }
    }
}

extension [UInt8]: Bindable {
    /// Binds a BLOB.
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        unsafe withUnsafeBytes { unsafe parameters.bindBlob($0, index) }
    }
}

extension ArraySlice<UInt8>: Bindable {
    /// Binds a BLOB.
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        unsafe withUnsafeBytes { unsafe parameters.bindBlob($0, index) }
    }
}

extension Optional: Bindable where Wrapped: Bindable {
    /// Binds the value, or NULL.
    @inlinable
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        switch self {
        case .some(let value): value.bind(to: parameters, at: index)
        case .none: unsafe sqlite3_bind_null(parameters.statement, index)
        }
    }
}

extension Value: Bindable {
    /// Binds the value in its own storage class.
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        switch self {
        case .null: unsafe sqlite3_bind_null(parameters.statement, index)
        case .integer(let value): value.bind(to: parameters, at: index)
        case .real(let value): value.bind(to: parameters, at: index)
        case .text(let value): value.bind(to: parameters, at: index)
        case .blob(let value): value.bind(to: parameters, at: index)
        }
    }
}

extension Parameters {
    func bindText(_ bytes: UnsafeRawBufferPointer, _ index: Int32) -> Int32 {
        let count = UInt64(bytes.count)
        if let kept = unsafe buffer?.store(bytes) {
            // No destructor: the buffer outlives the binding.
            return unsafe sqlite3_bind_text64(
                statement, index, kept.assumingMemoryBound(to: CChar.self), count, nil, UInt8(SQLITE_UTF8))
        }
        return unsafe sqlite3_bind_text64(
            statement, index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count,
            transient,
            UInt8(SQLITE_UTF8))
    }

    func bindBlob(_ bytes: UnsafeRawBufferPointer, _ index: Int32) -> Int32 {
        let count = UInt64(bytes.count)
        if let kept = unsafe buffer?.store(bytes) {
            return unsafe sqlite3_bind_blob64(statement, index, kept, count, nil)
        }
        return unsafe sqlite3_bind_blob64(statement, index, bytes.baseAddress, count, transient)
    }
}

/// Makes SQLite copy the value. SQLITE_TRANSIENT is a macro that Swift cannot import.
var transient: sqlite3_destructor_type? {
    unsafe unsafeBitCast(-1, to: sqlite3_destructor_type?.self)
}
