extension Store {
    /// Migrates the database to the newest version of each set, in order: short for a ``Migrator`` for each set. A
    /// program calls this when it starts. If no migrations are pending, it reads the ledger and changes nothing. No
    /// other write of the store runs meanwhile; other processes wait no longer than one version takes.
    /// - Parameters:
    ///   - sets: The sets, in the order in which they run.
    ///   - target: The target of the run.
    ///   - timeout: The maximum wait, in whole seconds, while another process holds the write lock.
    ///   - allowsOutOfOrder: Whether a version may be applied after a newer one was.
    ///   - recordedDown: Whether the way down that the database recorded may undo a version whose file is gone.
    ///     Anyone with the database's key can have written it. Only in a store without field keys.
    ///   - progress: Called before each statement and for each version. An error that it throws, and cancelling the
    ///     task, roll back the open transaction.
    /// - Throws: ``LockstepError`` of the group "Migrations"; the version in the error is rolled back, earlier
    ///   versions stay applied. ``LockstepError/Code/tampered`` for a ledger that was changed,
    ///   ``LockstepError/Code/misuse`` for recorded ways down together with field keys,
    ///   ``LockstepError/Code/closed``; `CancellationError`; any error from `progress`.
    @discardableResult
    public func migrate(
        _ sets: MigrationSet..., to target: Plan.Target = .latest, timeout: Duration = .seconds(60),
        allowsOutOfOrder: Bool = false, recordedDown: RecordedDown = .refused,
        progress: JobProgress.Handler = { _ in }
    ) throws -> MigrationReport {
        try withoutTransaction { connection in
            var report = MigrationReport()
            for set in sets {
                try Migrator(
                    set, timeout: timeout, allowsOutOfOrder: allowsOutOfOrder,
                    recordedDown: recordedDown
                ).run(target, on: connection, into: &report, progress: progress)
            }
            return report
        }
    }

    /// Migrates the database on the store's writing thread. Cancelling the task interrupts the run and rolls back
    /// the current version.
    /// - Throws: The errors of the blocking form.
    @discardableResult
    public func migrate(
        _ sets: MigrationSet..., to target: Plan.Target = .latest, timeout: Duration = .seconds(60),
        allowsOutOfOrder: Bool = false, recordedDown: RecordedDown = .refused,
        progress: @escaping @Sendable (JobProgress) throws -> Void = { _ in }
    ) async throws -> MigrationReport {
        try await withoutTransaction { connection in
            var report = MigrationReport()
            for set in sets {
                try Migrator(
                    set, timeout: timeout, allowsOutOfOrder: allowsOutOfOrder,
                    recordedDown: recordedDown
                ).run(target, on: connection, into: &report, progress: progress)
            }
            return report
        }
    }
}
