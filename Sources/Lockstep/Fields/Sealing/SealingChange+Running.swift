extension SealingChange {
    /// Runs the change, or the rest of it. Blocks.
    /// - Parameters:
    ///   - connection: A connection that was opened with `keys` among its ``ConnectionOptions/fieldKeys``, and is
    ///     outside a transaction.
    ///   - keys: The keys of the dataset.
    ///   - progress: Called after each batch with the number of processed rows.
    /// - Throws: ``LockstepError/Code/misuse`` with the obstacle, such as an index that contains the values;
    ///   ``LockstepError/Code/keyUnavailable``, ``LockstepError/Code/registryForged``, ``LockstepError/Code/busy``;
    ///   ``LockstepError/Code/cellForged`` if a cell does not open; ``LockstepError/Code/locked`` if somebody is
    ///   destroying a key of the dataset for longer than ``FileLockWait`` allows; `CancellationError`; any error from
    ///   `progress`. The finished batches stay.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    public func run(
        on connection: borrowing Connection, keys: FieldKeys,
        progress: JobProgress.Handler = { _ in }
    ) throws -> SealingReport {
        guard !connection.isInTransaction else {
            throw LockstepError(
                .misuse, "\(title) cannot be changed inside a transaction",
                hint: "call this outside a transaction: the change takes several of its own", context: context)
        }
        guard batch > 0 else {
            throw LockstepError(.misuse, "a batch needs at least one row, not \(batch)")
        }
        var report = SealingReport()
        do {
            try keys.whileUsed {
                try connection.with(rights: .engine) {
                    try run(connection, keys, &report, progress)
                }
            }
        } catch let error as LockstepError {
            throw error.adding(context)
        }
        report.time = report.time.ended()
        return report
    }

    private func run(
        _ connection: borrowing Connection, _ keys: FieldKeys, _ report: inout SealingReport,
        _ progress: JobProgress.Handler
    ) throws {
        let beginning = try connection.write { connection in try begin(keys, connection) }
        guard case .rows(let total) = beginning else { return }
        let pass = SealingPass(self, keys, connection)
        let ahead = pass.ahead
        defer { ahead?.close() }
        var isDone = false
        while !isDone {
            report.rows = 0
            var isLast = false
            while !isLast {
                ahead?.wait()
                let one = try connection.write { connection in
                    try runBatch(keys, connection, pass)
                }
                report.rows = one.isFirst ? one.rows : report.rows + one.rows
                isLast = one.isLast
                let news = JobProgress(
                    goal.phase.of(title), report.rows, of: max(total, report.rows), .rows, hasEnded: isLast)
                try ahead?.watch(connection) { try news.report(to: progress) } ?? news.report(to: progress)
            }
            ahead?.close()
            try clean(connection)
            isDone = try connection.write { connection in try finish(keys, connection, pass) }
        }
    }
}

extension SealingGoal {
    fileprivate var phase: JobProgress.Phase {
        switch self {
        case .protect: .sealing
        case .unprotect: .unsealing
        case .reseal: .resealing
        }
    }
}

extension JobProgress.Phase {
    /// A column's plaintext becomes cells.
    public static let sealing = Self("sealing")
    /// A column's cells become plaintext.
    public static let unsealing = Self("unsealing")
    /// A column's cells get the active field key.
    public static let resealing = Self("resealing")
}
