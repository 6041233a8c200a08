extension Store {
    /// The checks of ``Verification`` that read only the schema, on one of the store's own connections: cipher
    /// settings, ledger, and, if all sets that the database carries are given, drift. They take some
    /// milliseconds for a schema of a hundred tables, and read neither rows nor pages.
    ///
    /// The registry of sealed columns was authenticated when the store opened, if the store has their keys.
    /// - Throws: ``LockstepError/Code/closed``; `CancellationError`. The findings of a check are in the report.
    public func verifyLightly(_ sets: [MigrationSet]) async throws -> VerificationReport {
        let source = source
        return try await read { connection in try Self.lightReport(connection, sets, source) }
    }

    fileprivate static func lightReport(
        _ connection: borrowing Connection, _ sets: [MigrationSet], _ source: StoreSource
    ) throws -> VerificationReport {
        var report = VerificationReport()
        let carried: Set<String>?  // exact: names of sets
        do {
            carried = Set(try Ledger.history(connection).entries.map(\.set))
        } catch let error as LockstepError where error.code == .tampered {
            // The ledger's check meets the same error, and reports it.
            carried = nil
        }
        // Sets that were not given are not reported: a database can be shared.
        let known = sets.filter { carried?.contains($0.name) == true }
        var verification = Verification(source.path, sets: known)
        verification.schema = source.options.connection
        let job = CheckJob(
            verification: verification, hasOthers: known.count != carried?.count, isInMemory: source.isInMemory)
        for case (let check, .onConnection(let work)) in job.tasks where work.isLight {
            report.outcomes.append(try .of(check) { try work.run(connection) })
        }
        report.time = report.time.ended()
        return report
    }
}

extension Store.Blocking {
    /// Runs the light checks on this thread: see ``Store/verifyLightly(_:)``.
    /// - Throws: ``LockstepError/Code/closed``. The findings of a check are in the report.
    @available(*, noasync, message: "this blocks the thread: use `try await store.verifyLightly`")
    public func verifyLightly(_ sets: [MigrationSet]) throws -> VerificationReport {
        let source = store.source
        return try read { connection in try Store.lightReport(connection, sets, source) }
    }
}

extension VerificationReport {
    /// Throws if the report has a failure.
    /// - Throws: ``LockstepError/Code/verificationFailed`` with the first failure, or the error that kept the
    ///   failed check from running.
    public func requireClean() throws(LockstepError) {
        guard let outcome = outcomes.first(where: \.hasFailed) else { return }
        if let obstacle = outcome.obstacle { throw obstacle }
        let first = outcome.findings.first(where: \.isFailure)?.message ?? outcome.summary
        throw LockstepError(
            .verificationFailed, "\(outcome.check.rawValue): \(first)", advice: "\(.verify) reports all of it")
    }
}
