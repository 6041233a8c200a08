/// A column's new value in ``Store/update(_:set:where:)``: `$0.seen.set(to: true)`, `$0.likes += 1`.
public struct Assignment<Root: Record>: Sendable {
    enum Form: Sendable {
        case value(Value)
        case sum(Value)
        case difference(Value)
        case sql(SQL)
    }

    let column: Result<String, LockstepError>
    let form: Result<Form, LockstepError>
}

extension RecordColumn where Property: Encodable & Sendable {
    /// Gives the column this value; NULL for nil.
    public func set(to value: Property) -> Assignment<Root> { assignment(value) { .value($0) } }
}

extension RecordColumn {
    /// Gives the column the value of SQL, which sees the row as it was: `$0.title.set(sql: "upper(title)")`.
    public func set(sql: SQL) -> Assignment<Root> {
        Assignment(column: name, form: .success(.sql(sql)))
    }

    private func assignment(
        _ value: some Encodable, _ make: (Value) -> Assignment<Root>.Form
    ) -> Assignment<Root> {
        do throws(LockstepError) {
            let value = try RowSink.stored(value, as: name.get(), of: Root.self)
            return Assignment(column: name, form: .success(make(value)))
        } catch {
            return Assignment(column: name, form: .failure(error))
        }
    }

    /// Adds to the column. A sum of integers that does not fit is an error.
    public static func += (
        column: RecordColumn, value: Property
    ) -> Assignment<Root> where Property: Numeric & SortableColumnValue {
        column.assignment(value) { .sum($0) }
    }

    /// Adds to the column; NULL stays NULL. A sum of integers that does not fit is an error.
    public static func += <Wrapped: Numeric & SortableColumnValue>(
        column: RecordColumn, value: Wrapped
    ) -> Assignment<Root> where Property == Wrapped? {
        column.assignment(value) { .sum($0) }
    }

    /// Subtracts from the column. A difference of integers that does not fit is an error.
    public static func -= (
        column: RecordColumn, value: Property
    ) -> Assignment<Root> where Property: Numeric & SortableColumnValue {
        column.assignment(value) { .difference($0) }
    }

    /// Subtracts from the column; NULL stays NULL. A difference of integers that does not fit is an error.
    public static func -= <Wrapped: Numeric & SortableColumnValue>(
        column: RecordColumn, value: Wrapped
    ) -> Assignment<Root> where Property == Wrapped? {
        column.assignment(value) { .difference($0) }
    }
}
