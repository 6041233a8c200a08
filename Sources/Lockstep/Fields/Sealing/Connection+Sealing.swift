extension Connection {
    /// The default number of rows in one transaction, for which other writers wait some 10 ms.
    public static let defaultSealingBatch = 5000

    /// Seals a plaintext column batch by batch, while others read and write. After an interruption or a crash, calling
    /// it again continues where it stopped. At the end it rebuilds the file without its free pages and empties its log,
    /// so that no plaintext remains in either. That takes free space of about twice the file's size, and other writers
    /// wait for it.
    ///
    /// The connection must have been opened with `keys` among its ``ConnectionOptions/fieldKeys``, and must be outside
    /// a transaction.
    /// - Parameters:
    ///   - column: The column.
    ///   - table: Its table.
    ///   - keys: The keys of the dataset.
    ///   - mode: ``SealingMode/random``, unless joins or GROUP BY need the column.
    ///   - padding: How the lengths of the values are hidden.
    ///   - indexes: The blind indexes for look-ups. Each adds a column to the table, with an index over it. Their
    ///     tokens show anyone who can open the database which rows might be equal.
    ///   - batch: The number of rows that one transaction seals.
    ///   - progress: Called after each batch; throwing from it stops the run between two batches.
    /// - Throws: ``LockstepError/Code/misuse`` with the obstacle, such as an index that contains the values;
    ///   ``LockstepError/Code/keyUnavailable``, ``LockstepError/Code/registryForged``, ``LockstepError/Code/busy``.
    public func protect(
        _ column: String, of table: String, keys: FieldKeys, mode: SealedColumn.Mode = .random,
        padding: CellPadding = .none, indexes: [SealedIndex.Request] = [],
        batch: Int = defaultSealingBatch,
        progress: (SealingProgress) throws -> Void = { _ in }
    ) throws {
        let goal = SealingGoal.protect(mode: mode, padding: padding, indexes: indexes)
        try change(column, table, goal, keys, batch, progress)
    }

    /// Turns a sealed column's cells into plaintext again: the reverse of
    /// ``protect(_:of:keys:mode:padding:indexes:batch:progress:)``.
    /// - Throws: The errors of that method; ``LockstepError/Code/cellForged`` if a cell does not open.
    public func unprotect(
        _ column: String, of table: String, keys: FieldKeys, batch: Int = defaultSealingBatch,
        progress: (SealingProgress) throws -> Void = { _ in }
    ) throws {
        try change(column, table, .unprotect, keys, batch, progress)
    }

    /// Reseals the cells that are under older versions of the field key, under the active one.
    /// - Throws: The errors of ``unprotect(_:of:keys:batch:progress:)``.
    public func reseal(
        _ column: String, of table: String, keys: FieldKeys, batch: Int = defaultSealingBatch,
        progress: (SealingProgress) throws -> Void = { _ in }
    ) throws {
        try change(column, table, .reseal, keys, batch, progress)
    }

    private func change(
        _ column: String, _ table: String, _ goal: SealingGoal, _ keys: FieldKeys, _ batch: Int,
        _ progress: (SealingProgress) throws -> Void
    ) throws {
        let change = SealingChange(table: table, column: column, goal: goal)
        guard !isInTransaction else {
            throw LockstepError(
                .misuse, "\(change.title) cannot be changed inside a transaction",
                hint: "call this outside a transaction: the change takes several of its own",
                context: change.context)
        }
        guard batch > 0 else {
            throw LockstepError(.misuse, "a batch needs at least one row, not \(batch)")
        }
        do {
            try with(rights: .engine) { try runAll(change, keys, batch, progress) }
        } catch let error as LockstepError {
            throw error.adding(change.context)
        }
    }

    private func runAll(
        _ change: SealingChange, _ keys: FieldKeys, _ batch: Int,
        _ progress: (SealingProgress) throws -> Void
    ) throws {
        let beginning = try write { connection in try change.begin(keys, connection) }
        guard case .rows(let total) = beginning else { return }
        let ahead = SealingPrefetch(change, keys, self)
        defer { ahead?.close() }
        var isDone = false
        while !isDone {
            var done = 0
            var isLast = false
            while !isLast {
                let one = try write { connection in
                    try change.runBatch(batch, keys, connection, ahead)
                }
                done += one.rows
                isLast = one.isLast
                let news = SealingProgress(rows: done, total: max(total, done))
                try ahead?.watch(self) { try progress(news) } ?? progress(news)
            }
            ahead?.close()
            try change.clean(self)
            isDone = try write { connection in try change.finish(keys, connection) }
        }
    }
}
