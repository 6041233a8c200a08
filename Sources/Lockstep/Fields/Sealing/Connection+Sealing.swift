extension Connection {
    /// Rows of one transaction, where nobody says otherwise: some 10 ms for which other writers wait.
    public static let defaultSealingBatch = 5000

    /// Seals a column that holds plaintext, batch by batch: others read and write meanwhile. Interrupted or
    /// killed, calling it again goes on where it was. At its end, the file is written anew without its free
    /// pages, and its log emptied, so that no plaintext is left in either: that takes about twice the file's
    /// size in free space, and other writers wait for it.
    ///
    /// The connection must have been opened with `keys` among its ``ConnectionOptions/fieldKeys``, and stand
    /// outside a transaction.
    /// - Parameters:
    ///   - mode: ``SealedColumn/Mode/random``, unless the column has to be joined or grouped by.
    ///   - padding: What hides the values' lengths.
    ///   - indexes: What look-ups go by: each is a column more of the table, with an index over it. Their tokens
    ///     show which rows may be equal to whoever can open the database.
    ///   - batch: How many rows are sealed in one transaction.
    ///   - progress: Told after each batch; what it throws stops the run between two of them.
    /// - Throws: ``LockstepError/Code/misuse`` that says what is in the way, such as an index that holds the
    ///   values; ``LockstepError/Code/keyUnavailable``, ``LockstepError/Code/registryForged``,
    ///   ``LockstepError/Code/busy``.
    public func protect(
        _ column: String, of table: String, keys: FieldKeys, mode: SealedColumn.Mode = .random,
        padding: CellPadding = .none, indexes: [SealedIndex.Request] = [],
        batch: Int = defaultSealingBatch,
        progress: (SealingProgress) throws -> Void = { _ in }
    ) throws {
        let goal = SealingGoal.protect(mode: mode, padding: padding, indexes: indexes)
        try run(SealingChange(table: table, column: column, goal: goal), keys, batch, progress)
    }

    /// Turns a sealed column's cells into plaintext again, as ``protect(_:of:keys:mode:padding:indexes:batch:progress:)``
    /// goes the other way.
    /// - Throws: as it does; ``LockstepError/Code/cellForged`` where a cell does not open.
    public func unprotect(
        _ column: String, of table: String, keys: FieldKeys, batch: Int = defaultSealingBatch,
        progress: (SealingProgress) throws -> Void = { _ in }
    ) throws {
        let change = SealingChange(table: table, column: column, goal: .unprotect)
        try run(change, keys, batch, progress)
    }

    /// Seals the cells that are under older versions of the field key anew, under the active one.
    /// - Throws: as ``unprotect(_:of:keys:batch:progress:)``.
    public func reseal(
        _ column: String, of table: String, keys: FieldKeys, batch: Int = defaultSealingBatch,
        progress: (SealingProgress) throws -> Void = { _ in }
    ) throws {
        let change = SealingChange(table: table, column: column, goal: .reseal)
        try run(change, keys, batch, progress)
    }

    private func run(
        _ change: SealingChange, _ keys: FieldKeys, _ batch: Int,
        _ progress: (SealingProgress) throws -> Void
    ) throws {
        guard !isInTransaction else {
            throw LockstepError(
                .misuse, "\(change.title) cannot be changed inside a transaction",
                hint: "it takes several of its own")
        }
        guard batch > 0 else {
            throw LockstepError(.misuse, "a batch has at least one row, not \(batch)")
        }
        try with(rights: .engine) { try runAll(change, keys, batch, progress) }
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
