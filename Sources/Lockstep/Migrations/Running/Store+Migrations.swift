extension Store {
    /// Brings the database to the newest version of each set, in their order: what a program calls at its
    /// start. Where nothing is due it reads the ledger and changes nothing. No other write of the store
    /// runs meanwhile; another process's wait no longer than one version takes.
    /// - Parameters:
    ///   - target: How far to go.
    ///   - timeout: How long to wait, in whole seconds, while another process holds the write lock.
    ///   - allowsOutOfOrder: Whether a version may be applied though a newer one already is.
    ///   - recordedDown: Whether a version whose file is gone may be undone as the database recorded it, which
    ///     anyone with its key can have written. Only in a store without field keys.
    ///   - observe: Told what happens; an error it throws stops the run.
    /// - Throws: ``LockstepError`` of the group "Migrations"; the version it speaks of is rolled back,
    ///   those before it stay. ``LockstepError/Code/tampered`` for a ledger that was changed,
    ///   ``LockstepError/Code/misuse`` for recorded ways down beside field keys, ``LockstepError/Code/closed``.
    @discardableResult
    public func migrate(
        _ sets: MigrationSet..., to target: Plan.Target = .latest, timeout: Duration = .seconds(60),
        allowsOutOfOrder: Bool = false, recordedDown: RecordedDown = .refused,
        observe: @escaping (MigrationEvent) throws -> Void = { _ in }
    ) throws -> MigrationReport {
        try withoutTransaction { connection in
            var report = MigrationReport()
            for set in sets {
                try Migrator(
                    set, timeout: timeout, allowsOutOfOrder: allowsOutOfOrder,
                    recordedDown: recordedDown, observe: observe
                ).run(target, on: connection, into: &report)
            }
            return report
        }
    }

    /// The same on the store's writing thread. Cancelling the task interrupts it; the version that is under
    /// way is rolled back.
    /// - Throws: as its blocking form; `CancellationError`.
    @discardableResult
    public func migrate(
        _ sets: MigrationSet..., to target: Plan.Target = .latest, timeout: Duration = .seconds(60),
        allowsOutOfOrder: Bool = false, recordedDown: RecordedDown = .refused,
        observe: @escaping @Sendable (MigrationEvent) throws -> Void = { _ in }
    ) async throws -> MigrationReport {
        try await withoutTransaction { connection in
            var report = MigrationReport()
            for set in sets {
                try Migrator(
                    set, timeout: timeout, allowsOutOfOrder: allowsOutOfOrder,
                    recordedDown: recordedDown, observe: observe
                ).run(target, on: connection, into: &report)
            }
            return report
        }
    }
}
