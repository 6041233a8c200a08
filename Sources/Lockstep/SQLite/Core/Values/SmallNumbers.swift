internal import CSQLCipher

extension Int8: Bindable, ColumnDecodable {
    /// Binds an INTEGER.
    @inlinable
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        Int64(self).bind(to: parameters, at: index)
    }

    /// Decodes an INTEGER.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for anything else, and for a number that does not fit.
    @inlinable
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        self = try row.fitting(column)
    }
}

extension Int16: Bindable, ColumnDecodable {
    /// Binds an INTEGER.
    @inlinable
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        Int64(self).bind(to: parameters, at: index)
    }

    /// Decodes an INTEGER.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for anything else, and for a number that does not fit.
    @inlinable
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        self = try row.fitting(column)
    }
}

extension Int32: Bindable, ColumnDecodable {
    /// Binds an INTEGER.
    @inlinable
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        Int64(self).bind(to: parameters, at: index)
    }

    /// Decodes an INTEGER.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for anything else, and for a number that does not fit.
    @inlinable
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        self = try row.fitting(column)
    }
}

extension UInt8: Bindable, ColumnDecodable {
    /// Binds an INTEGER.
    @inlinable
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        Int64(self).bind(to: parameters, at: index)
    }

    /// Decodes an INTEGER.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for anything else, and for a number that does not fit.
    @inlinable
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        self = try row.fitting(column)
    }
}

extension UInt16: Bindable, ColumnDecodable {
    /// Binds an INTEGER.
    @inlinable
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        Int64(self).bind(to: parameters, at: index)
    }

    /// Decodes an INTEGER.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for anything else, and for a number that does not fit.
    @inlinable
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        self = try row.fitting(column)
    }
}

extension UInt32: Bindable, ColumnDecodable {
    /// Binds an INTEGER.
    @inlinable
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        Int64(self).bind(to: parameters, at: index)
    }

    /// Decodes an INTEGER.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for anything else, and for a number that does not fit.
    @inlinable
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        self = try row.fitting(column)
    }
}

extension Float: Bindable, ColumnDecodable {
    /// Binds a REAL. SQLite stores NaN as NULL.
    @inlinable
    public func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        Double(self).bind(to: parameters, at: index)
    }

    /// Decodes a REAL as the nearest `Float`, or an INTEGER that it holds exactly.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for anything else, and for a number beyond its range.
    public init(column: Int32, of row: borrowing Row) throws(LockstepError) {
        let number = try Double(column: column, of: row)
        let isInteger = unsafe sqlite3_value_type(row.value(column)) == SQLITE_INTEGER
        guard let float = Float(nearest: number), number == Double(float) || !isInteger else {
            throw row.outOfRange(column, of: Self.self)
        }
        self = float
    }
}

extension Row {
    /// An integer of another width; one that does not fit is an error, and is not truncated.
    @inlinable
    func fitting<Number: FixedWidthInteger>(_ column: Int32) throws(LockstepError) -> Number {
        guard let number = Number(exactly: try Int64(column: column, of: self)) else {
            throw outOfRange(column, of: Number.self)
        }
        return number
    }
}
