extension Connection {
    /// Returns the result of `row` for each row of a query.
    /// - Throws: The errors of ``prepare(_:)``, of ``Statement/run(_:)`` and of `row`.
    @inlinable
    public func query<each Parameter: Bindable, Element>(
        _ sql: SQL, _ values: repeat each Parameter,
        row: (borrowing Row) throws -> Element
    ) throws -> [Element] {
        try prepare(sql).map(repeat each values, row: row)
    }

    /// Returns every row of a query as a value of a type that reads rows.
    /// - Throws: The errors of ``prepare(_:)``, of ``Statement/run(_:)`` and of the type's initializer.
    @inlinable
    public func query<each Parameter: Bindable, Element: RowDecodable>(
        _ sql: SQL, _ values: repeat each Parameter, as type: Element.Type
    ) throws -> [Element] {
        try prepare(sql).map(repeat each values) { row in try Element(row: row) }
    }

    /// Returns every row of a query as a tuple of its first columns:
    /// `query("SELECT id, title FROM movies", as: (Int, String).self)`.
    /// - Throws: The errors of ``prepare(_:)`` and ``Statement/run(_:)``; ``LockstepError/Code/decodeMismatch`` for a
    ///   missing column or one of another type.
    @inlinable
    public func query<each Parameter: Bindable, each Column: ColumnDecodable>(
        _ sql: SQL, _ values: repeat each Parameter, as type: (repeat each Column).Type
    ) throws -> [(repeat each Column)] {
        try prepare(sql).map(repeat each values) { row in try row.columns() }
    }

    /// Returns the first column of every row of a query: `query("SELECT title FROM movies", as: String.self)`.
    /// - Throws: The errors of ``prepare(_:)`` and ``Statement/run(_:)``; ``LockstepError/Code/decodeMismatch`` if the
    ///   column has another type.
    @inlinable
    public func query<each Parameter: Bindable, Element: ColumnDecodable>(
        _ sql: SQL, _ values: repeat each Parameter, as type: Element.Type
    ) throws -> [Element] {
        try prepare(sql).map(repeat each values) { row in try row[0] as Element }
    }

    /// Returns the result of `row` for a query's first row, or nil if there is none.
    /// - Throws: The errors of ``prepare(_:)``, of ``Statement/run(_:)`` and of `row`.
    @inlinable
    public func first<each Parameter: Bindable, Element>(
        _ sql: SQL, _ values: repeat each Parameter,
        row: (borrowing Row) throws -> Element
    ) throws -> Element? {
        try prepare(sql).first(repeat each values, row: row)
    }

    /// Returns the first row of a query as a value of a type that reads rows, or nil if there is none.
    /// - Throws: The errors of ``prepare(_:)``, of ``Statement/run(_:)`` and of the type's initializer.
    @inlinable
    public func first<each Parameter: Bindable, Element: RowDecodable>(
        _ sql: SQL, _ values: repeat each Parameter, as type: Element.Type
    ) throws -> Element? {
        try prepare(sql).first(repeat each values) { row in try Element(row: row) }
    }

    /// Returns the first column of a query's first row, or nil if there is no row.
    /// - Throws: The errors of ``prepare(_:)`` and ``Statement/run(_:)``; ``LockstepError/Code/decodeMismatch`` if the
    ///   column has another type.
    @inlinable
    public func value<each Parameter: Bindable, Element: ColumnDecodable>(
        _ sql: SQL, _ values: repeat each Parameter, as type: Element.Type = Element.self
    ) throws -> Element? {
        try prepare(sql).first(repeat each values) { row in try row[0] as Element }
    }

    /// Every row of a query as a value of a `Decodable` type, by the columns' names.
    /// - Throws: The errors of ``prepare(_:)``, of ``Statement/run(_:)`` and of ``Row/decode(_:)``.
    @inlinable
    public func decode<each Parameter: Bindable, Value: Decodable>(
        _ type: Value.Type, _ sql: SQL, _ values: repeat each Parameter
    ) throws -> [Value] {
        try query(sql, repeat each values) { row in try row.decode(type) }
    }
}

extension Row {
    /// The first columns as a tuple.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` for a missing column or one of another type.
    @inlinable
    public func columns<each Column: ColumnDecodable>(
        as type: (repeat each Column).Type = (repeat each Column).self
    ) throws(LockstepError) -> (repeat each Column) {
        var ordinal: Int32 = -1
        func next<Element: ColumnDecodable>(_: Element.Type) throws(LockstepError) -> Element {
            ordinal += 1
            return try Element(column: ordinal, of: self)
        }
        return (repeat try next((each Column).self))
    }
}
