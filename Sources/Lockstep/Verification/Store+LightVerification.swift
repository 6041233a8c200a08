extension Store {
    /// The checks of ``Verification`` that read only the schema, on one of the store's own connections: cipher
    /// settings, ledger, and, if all sets that the database carries are given, drift. They take some
    /// milliseconds for a schema of a hundred tables, and read neither rows nor pages.
    ///
    /// The registry of sealed columns was authenticated when the store opened, if the store has their keys.
    /// - Throws: ``LockstepError/Code/closed``. The findings of a check are in the report.
    public func verifyLightly(_ sets: [MigrationSet]) throws -> VerificationReport {
        let schema = source.options.connection
        let hasProfile = !source.isInMemory
        return try read { connection in
            try Self.lightReport(connection, sets, schema, hasProfile: hasProfile)
        }
    }

    /// The same without blocking.
    /// - Throws: The same as the blocking form; `CancellationError`.
    public func verifyLightly(_ sets: [MigrationSet]) async throws -> VerificationReport {
        let schema = source.options.connection
        let hasProfile = !source.isInMemory
        return try await read { connection in
            try Self.lightReport(connection, sets, schema, hasProfile: hasProfile)
        }
    }

    private static func lightReport(
        _ connection: borrowing Connection, _ sets: [MigrationSet], _ schema: ConnectionOptions,
        hasProfile: Bool
    ) throws -> VerificationReport {
        var report = VerificationReport()
        if hasProfile {
            report.outcomes.append(try .of(.profile) { try ProfileCheck.run(connection) })
        }
        let carried: Set<String>
        do {
            carried = Set(try Ledger.history(connection).entries.map(\.set))
        } catch let error as LockstepError where error.code == .tampered {
            report.outcomes.append(try .of(.ledger) { throw error })
            report.time = report.time.ended()
            return report
        }
        // Sets that were not given are not reported: a database can be shared.
        let known = sets.filter { carried.contains($0.name) }
        let isWhole = known.count == carried.count
        report.outcomes.append(
            try .of(.ledger) { try LedgerCheck.run(connection, known, hasOthers: !isWhole) })
        if isWhole {
            report.outcomes.append(
                try .of(.drift) { try DriftCheck.run(connection, known, schema) })
        }
        report.time = report.time.ended()
        return report
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
            .verificationFailed, "\(outcome.check.rawValue): \(first)",
            hint: "`lockstep verify` reports all of it")
    }
}
