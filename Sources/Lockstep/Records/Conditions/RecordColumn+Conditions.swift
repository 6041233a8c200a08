extension RecordColumn {
    /// Makes a condition of the column's name and of a value in the form that the column stores.
    func condition(
        _ value: some Encodable, _ make: (String, Value) -> ConditionTree
    ) -> Condition<Root> {
        condition { name throws(LockstepError) in
            make(name, try RowSink.stored(value, as: name, of: Root.self))
        }
    }

    func condition(
        _ make: (String) throws(LockstepError) -> ConditionTree
    ) -> Condition<Root> {
        do throws(LockstepError) {
            return Condition(tree: try make(name.get()))
        } catch {
            return Condition(tree: .failure(error))
        }
    }
}

extension RecordColumn where Property: Encodable & Sendable {
    /// Rows whose column is equal to the value, or NULL for nil.
    public static func == (column: RecordColumn, value: Property) -> Condition<Root> {
        column.condition(value) { $1 == .null ? .isNull($0) : .compare($0, .equal, $1) }
    }

    /// Rows whose column has a value that differs from this one. For nil: rows whose column has any value.
    public static func != (column: RecordColumn, value: Property) -> Condition<Root> {
        column.condition(value) {
            $1 == .null ? .not(.isNull($0)) : .compare($0, .unequal, $1)
        }
    }

    /// Rows whose column is equal to one of the values; nil stands for NULL. No row, if there is no value.
    public func `in`(_ values: some Sequence<Property>) -> Condition<Root> {
        condition { name throws(LockstepError) in
            var stored: [Value] = []
            for value in values {
                stored.append(try RowSink.stored(value, as: name, of: Root.self))
            }
            let some = ConditionTree.oneOf(name, stored.filter { $0 != .null })
            return stored.contains(.null) ? .or(some, .isNull(name)) : some
        }
    }
}

extension RecordColumn where Property: SortableColumnValue {
    /// Rows whose column is less than the value.
    public static func < (column: RecordColumn, value: Property) -> Condition<Root> {
        column.condition(value) { .compare($0, .less, $1) }
    }

    /// Rows whose column is at most the value.
    public static func <= (column: RecordColumn, value: Property) -> Condition<Root> {
        column.condition(value) { .compare($0, .lessOrEqual, $1) }
    }

    /// Rows whose column is greater than the value.
    public static func > (column: RecordColumn, value: Property) -> Condition<Root> {
        column.condition(value) { .compare($0, .greater, $1) }
    }

    /// Rows whose column is at least the value.
    public static func >= (column: RecordColumn, value: Property) -> Condition<Root> {
        column.condition(value) { .compare($0, .greaterOrEqual, $1) }
    }

    /// Rows whose column is from the first value to the last, inclusive.
    public func between(_ first: Property, _ last: Property) -> Condition<Root> {
        range(first, last)
    }
}

extension RecordColumn {
    fileprivate func range(_ first: some Encodable, _ last: some Encodable) -> Condition<Root> {
        condition { name throws(LockstepError) in
            .between(
                name, try RowSink.stored(first, as: name, of: Root.self),
                try RowSink.stored(last, as: name, of: Root.self))
        }
    }

    /// Rows whose column is less than the value; NULL is not.
    public static func < <Wrapped: SortableColumnValue>(
        column: RecordColumn, value: Wrapped
    ) -> Condition<Root> where Property == Wrapped? {
        column.condition(value) { .compare($0, .less, $1) }
    }

    /// Rows whose column is at most the value; NULL is not.
    public static func <= <Wrapped: SortableColumnValue>(
        column: RecordColumn, value: Wrapped
    ) -> Condition<Root> where Property == Wrapped? {
        column.condition(value) { .compare($0, .lessOrEqual, $1) }
    }

    /// Rows whose column is greater than the value; NULL is not.
    public static func > <Wrapped: SortableColumnValue>(
        column: RecordColumn, value: Wrapped
    ) -> Condition<Root> where Property == Wrapped? {
        column.condition(value) { .compare($0, .greater, $1) }
    }

    /// Rows whose column is at least the value; NULL is not.
    public static func >= <Wrapped: SortableColumnValue>(
        column: RecordColumn, value: Wrapped
    ) -> Condition<Root> where Property == Wrapped? {
        column.condition(value) { .compare($0, .greaterOrEqual, $1) }
    }

    /// Rows whose column is from the first value to the last, inclusive; NULL is not.
    public func between<Wrapped: SortableColumnValue>(
        _ first: Wrapped, _ last: Wrapped
    ) -> Condition<Root> where Property == Wrapped? {
        range(first, last)
    }
}

extension RecordColumn where Property: TextColumnValue {
    /// Rows whose text begins with this one, character by character as stored: `e` with an accent of its own begins
    /// with `e`.
    public func hasPrefix(_ prefix: String) -> Condition<Root> {
        condition { name throws(LockstepError) in .prefix(name, prefix) }
    }

    /// Rows whose text matches SQL's pattern, in which `%` stands for any characters and `_` for one. A to Z match in
    /// both cases.
    /// - Parameters:
    ///   - pattern: The pattern.
    ///   - escape: The character of the pattern before a `%` or `_` that stands for itself, and before itself: with
    ///     `"\\"`, `"100\\%"` matches only 100%. It is one Unicode scalar.
    public func like(_ pattern: String, escape: Character? = nil) -> Condition<Root> {
        condition { name throws(LockstepError) in
            if let escape, escape.unicodeScalars.count != 1 {
                throw LockstepError(
                    .misuse, "the escape of a pattern is one Unicode scalar",
                    hint: "take a character such as `\\` or `!`", context: .init(table: Root.table, column: name))
            }
            return .like(name, pattern, escape: escape.map { String($0) })
        }
    }

    /// Rows whose text has this one in it, with the same case, byte by byte as stored: no character of it has a meaning
    /// of its own. Every text has the empty one.
    public func contains(_ part: String) -> Condition<Root> {
        condition { name throws(LockstepError) in .contains(name, part) }
    }

    /// Rows whose text is this one but for case, and for whether `é` is one character or two, in every language: see
    /// ``Normaliser/casefold``. No index of SQLite's answers it: on a column that is not sealed each row is compared.
    public func equalIgnoringCase(_ text: String) -> Condition<Root> {
        condition { name throws(LockstepError) in .sameFolded(name, text) }
    }
}

extension RowSink {
    /// A value in the form in which a record's column stores it.
    static func stored(
        _ value: some Encodable, as column: String, of type: any Record.Type
    ) throws(LockstepError) -> Value {
        // Most values are of these types.
        if let text = same(value, as: String.self) { return .text(text) }
        if let number = same(value, as: Int.self) { return .integer(Int64(number)) }
        if let number = same(value, as: Int64.self) { return .integer(number) }
        let sink = RowSink(type)
        do {
            try sink.take(value, column)
        } catch let error as LockstepError {
            throw error
        } catch {
            throw LockstepError(
                .bindMismatch, "a value for \(type).\(column) does not encode itself",
                context: .init(table: type.table, column: column))
        }
        return sink.values.first ?? .null
    }
}
