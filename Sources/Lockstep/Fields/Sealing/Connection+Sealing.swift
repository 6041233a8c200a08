extension Connection {
    /// Seals a plaintext column: short for a ``SealingChange`` with the goal
    /// ``SealingGoal/protect(mode:padding:indexes:)`` that runs on this connection, outside a transaction.
    /// - Parameters:
    ///   - column: The column.
    ///   - table: Its table.
    ///   - keys: The keys of the dataset, which are among the connection's ``ConnectionOptions/fieldKeys``.
    ///   - mode: ``SealingMode/random``, unless joins or GROUP BY need the column.
    ///   - padding: How the lengths of the values are hidden.
    ///   - indexes: The blind indexes for look-ups. Each adds a column to the table, with an index over it. Their
    ///     tokens show anyone who can open the database which rows might be equal.
    ///   - batch: The number of rows that one transaction seals.
    ///   - progress: Called after each batch with the number of processed rows.
    /// - Throws: The errors of ``SealingChange/run(on:keys:progress:)``.
    @discardableResult
    public func protect(
        _ column: String, of table: String, keys: FieldKeys, mode: SealedColumn.Mode = .random,
        padding: CellPadding = .none, indexes: [SealedIndex.Request] = [],
        batch: Int = SealingChange.defaultBatch, progress: JobProgress.Handler = { _ in }
    ) throws -> SealingReport {
        let goal = SealingGoal.protect(mode: mode, padding: padding, indexes: indexes)
        return try SealingChange(table: table, column: column, goal: goal, batch: batch)
            .run(on: self, keys: keys, progress: progress)
    }

    /// Turns a sealed column's cells into plaintext again: short for a ``SealingChange`` with the goal
    /// ``SealingGoal/unprotect``.
    /// - Throws: The errors of ``SealingChange/run(on:keys:progress:)``.
    @discardableResult
    public func unprotect(
        _ column: String, of table: String, keys: FieldKeys,
        batch: Int = SealingChange.defaultBatch, progress: JobProgress.Handler = { _ in }
    ) throws -> SealingReport {
        try SealingChange(table: table, column: column, goal: .unprotect, batch: batch)
            .run(on: self, keys: keys, progress: progress)
    }

    /// Reseals the cells that are under older versions of the field key, under the active one: short for a
    /// ``SealingChange`` with the goal ``SealingGoal/reseal``.
    /// - Throws: The errors of ``SealingChange/run(on:keys:progress:)``.
    @discardableResult
    public func reseal(
        _ column: String, of table: String, keys: FieldKeys,
        batch: Int = SealingChange.defaultBatch, progress: JobProgress.Handler = { _ in }
    ) throws -> SealingReport {
        try SealingChange(table: table, column: column, goal: .reseal, batch: batch)
            .run(on: self, keys: keys, progress: progress)
    }
}
