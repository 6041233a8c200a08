extension Store {
    /// Migrates the database to the newest version of each set, in order: short for a ``Migrator`` for each set, on the
    /// store's writing thread. A program calls this when it starts. If no migrations are pending, it reads the ledger
    /// and changes nothing. No other write of the store runs meanwhile; other processes wait no longer than one version
    /// takes. Cancelling the task interrupts the run and rolls back the current version.
    /// - Parameters:
    ///   - sets: The sets, in the order in which they run.
    ///   - target: The target of the run.
    ///   - timeout: The maximum wait, in whole seconds, while another process holds the write lock.
    ///   - allowsOutOfOrder: Whether a version may be applied after a newer one was.
    ///   - recordedDown: Whether the way down that the database recorded may undo a version whose file is gone.
    ///     Anyone with the database's key can have written it. Only in a store without field keys.
    ///   - progress: Called before each statement and for each version. An error that it throws rolls back the open
    ///     transaction.
    /// - Throws: ``LockstepError`` of the group "Migrations"; the version in the error is rolled back, earlier
    ///   versions stay applied. ``LockstepError/Code/tampered`` for a ledger that was changed,
    ///   ``LockstepError/Code/misuse`` for recorded ways down together with field keys,
    ///   ``LockstepError/Code/closed``; `CancellationError`; any error from `progress`.
    @discardableResult
    public func migrate(
        _ sets: MigrationSet..., to target: Plan.Target = .latest, timeout: Duration = .seconds(60),
        allowsOutOfOrder: Bool = false, recordedDown: RecordedDown = .refused,
        progress: @escaping @Sendable (JobProgress) throws -> Void = { _ in }
    ) async throws -> MigrationReport {
        let job = MigrationJob(
            sets: sets, target: target, timeout: timeout, allowsOutOfOrder: allowsOutOfOrder,
            recordedDown: recordedDown)
        return try await withoutTransaction { connection in
            try job.run(on: connection, progress: progress)
        }
    }
}

extension Store.Blocking {
    /// Migrates the database on this thread: see
    /// ``Store/migrate(_:to:timeout:allowsOutOfOrder:recordedDown:progress:)``.
    /// - Parameters:
    ///   - sets: The sets, in the order in which they run.
    ///   - target: The target of the run.
    ///   - timeout: The maximum wait, in whole seconds, while another process holds the write lock.
    ///   - allowsOutOfOrder: Whether a version may be applied after a newer one was.
    ///   - recordedDown: Whether the way down that the database recorded may undo a version whose file is gone.
    ///   - progress: Called before each statement and for each version. An error that it throws, and cancelling the
    ///     task, roll back the open transaction.
    /// - Throws: The errors of ``Store/migrate(_:to:timeout:allowsOutOfOrder:recordedDown:progress:)``.
    @available(*, noasync, message: "this blocks the thread: use `try await store.migrate`")
    @discardableResult
    public func migrate(
        _ sets: MigrationSet..., to target: Plan.Target = .latest, timeout: Duration = .seconds(60),
        allowsOutOfOrder: Bool = false, recordedDown: RecordedDown = .refused, progress: JobProgress.Handler = { _ in }
    ) throws -> MigrationReport {
        let job = MigrationJob(
            sets: sets, target: target, timeout: timeout, allowsOutOfOrder: allowsOutOfOrder,
            recordedDown: recordedDown)
        return try withoutTransaction { connection in
            try job.run(on: connection, progress: progress)
        }
    }
}

/// A run of several sets, one after another.
struct MigrationJob: Sendable {
    let sets: [MigrationSet]
    var target = Plan.Target.latest
    var timeout = Duration.seconds(60)
    var allowsOutOfOrder = false
    var recordedDown = RecordedDown.refused

    func run(
        on connection: borrowing Connection, progress: JobProgress.Handler
    ) throws -> MigrationReport {
        var report = MigrationReport()
        for set in sets {
            try Migrator(set, timeout: timeout, allowsOutOfOrder: allowsOutOfOrder, recordedDown: recordedDown).run(
                target, on: connection, into: &report, progress: progress)
        }
        return report
    }
}
