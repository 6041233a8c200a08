/// Conditions on two columns of a row: `$0.likes > $0.dislikes`. They compare what is read, and a row with NULL in one
/// of them satisfies none.
extension RecordColumn {
    private func condition<Other>(
        _ comparison: ConditionOperator, _ other: RecordColumn<Root, Other>
    ) -> Condition<Root> {
        condition { name throws(LockstepError) in .columns(name, comparison, try other.name.get()) }
    }

    /// Rows in which the first column is equal to the second.
    public static func == (one: RecordColumn, other: RecordColumn) -> Condition<Root>
    where Property: Equatable {
        one.condition(.equal, other)
    }

    /// The same for a second column that can be NULL.
    public static func == (
        one: RecordColumn, other: RecordColumn<Root, Property?>
    ) -> Condition<Root> where Property: Equatable {
        one.condition(.equal, other)
    }

    /// The same for a first column that can be NULL.
    public static func == <Wrapped: Equatable>(
        one: RecordColumn, other: RecordColumn<Root, Wrapped>
    ) -> Condition<Root> where Property == Wrapped? {
        one.condition(.equal, other)
    }

    /// Rows in which the first column is different from the second.
    public static func != (one: RecordColumn, other: RecordColumn) -> Condition<Root>
    where Property: Equatable {
        one.condition(.unequal, other)
    }

    /// The same for a second column that can be NULL.
    public static func != (
        one: RecordColumn, other: RecordColumn<Root, Property?>
    ) -> Condition<Root> where Property: Equatable {
        one.condition(.unequal, other)
    }

    /// The same for a first column that can be NULL.
    public static func != <Wrapped: Equatable>(
        one: RecordColumn, other: RecordColumn<Root, Wrapped>
    ) -> Condition<Root> where Property == Wrapped? {
        one.condition(.unequal, other)
    }

    /// Rows in which the first column is less than the second.
    public static func < (one: RecordColumn, other: RecordColumn) -> Condition<Root>
    where Property: SortableColumnValue {
        one.condition(.less, other)
    }

    /// The same for a second column that can be NULL.
    public static func < (
        one: RecordColumn, other: RecordColumn<Root, Property?>
    ) -> Condition<Root> where Property: SortableColumnValue {
        one.condition(.less, other)
    }

    /// The same for a first column that can be NULL.
    public static func < <Wrapped: SortableColumnValue>(
        one: RecordColumn, other: RecordColumn<Root, Wrapped>
    ) -> Condition<Root> where Property == Wrapped? {
        one.condition(.less, other)
    }

    /// The same for two columns that can be NULL.
    public static func < <Wrapped: SortableColumnValue>(one: RecordColumn, other: RecordColumn)
        -> Condition<Root>
    where Property == Wrapped? {
        one.condition(.less, other)
    }

    /// Rows in which the first column is at most the second.
    public static func <= (one: RecordColumn, other: RecordColumn) -> Condition<Root>
    where Property: SortableColumnValue {
        one.condition(.lessOrEqual, other)
    }

    /// The same for a second column that can be NULL.
    public static func <= (
        one: RecordColumn, other: RecordColumn<Root, Property?>
    ) -> Condition<Root> where Property: SortableColumnValue {
        one.condition(.lessOrEqual, other)
    }

    /// The same for a first column that can be NULL.
    public static func <= <Wrapped: SortableColumnValue>(
        one: RecordColumn, other: RecordColumn<Root, Wrapped>
    ) -> Condition<Root> where Property == Wrapped? {
        one.condition(.lessOrEqual, other)
    }

    /// The same for two columns that can be NULL.
    public static func <= <Wrapped: SortableColumnValue>(one: RecordColumn, other: RecordColumn)
        -> Condition<Root>
    where Property == Wrapped? {
        one.condition(.lessOrEqual, other)
    }

    /// Rows in which the first column is greater than the second.
    public static func > (one: RecordColumn, other: RecordColumn) -> Condition<Root>
    where Property: SortableColumnValue {
        one.condition(.greater, other)
    }

    /// The same for a second column that can be NULL.
    public static func > (
        one: RecordColumn, other: RecordColumn<Root, Property?>
    ) -> Condition<Root> where Property: SortableColumnValue {
        one.condition(.greater, other)
    }

    /// The same for a first column that can be NULL.
    public static func > <Wrapped: SortableColumnValue>(
        one: RecordColumn, other: RecordColumn<Root, Wrapped>
    ) -> Condition<Root> where Property == Wrapped? {
        one.condition(.greater, other)
    }

    /// The same for two columns that can be NULL.
    public static func > <Wrapped: SortableColumnValue>(one: RecordColumn, other: RecordColumn)
        -> Condition<Root>
    where Property == Wrapped? {
        one.condition(.greater, other)
    }

    /// Rows in which the first column is at least the second.
    public static func >= (one: RecordColumn, other: RecordColumn) -> Condition<Root>
    where Property: SortableColumnValue {
        one.condition(.greaterOrEqual, other)
    }

    /// The same for a second column that can be NULL.
    public static func >= (
        one: RecordColumn, other: RecordColumn<Root, Property?>
    ) -> Condition<Root> where Property: SortableColumnValue {
        one.condition(.greaterOrEqual, other)
    }

    /// The same for a first column that can be NULL.
    public static func >= <Wrapped: SortableColumnValue>(
        one: RecordColumn, other: RecordColumn<Root, Wrapped>
    ) -> Condition<Root> where Property == Wrapped? {
        one.condition(.greaterOrEqual, other)
    }

    /// The same for two columns that can be NULL.
    public static func >= <Wrapped: SortableColumnValue>(one: RecordColumn, other: RecordColumn)
        -> Condition<Root>
    where Property == Wrapped? {
        one.condition(.greaterOrEqual, other)
    }
}
