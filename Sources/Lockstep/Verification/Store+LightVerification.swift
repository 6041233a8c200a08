extension Store {
    /// The checks of ``Verification`` that read no more than the schema, on one of the store's own connections: cipher
    /// settings, ledger, and, where all sets are given that the database carries, drift. Some milliseconds for a
    /// schema of a hundred tables; rows and pages are not looked at.
    ///
    /// What is said of sealed columns was authenticated when the store opened, if it has their keys.
    /// - Throws: ``LockstepError/Code/closed``. What a check finds is in the report.
    public func verifyLightly(_ sets: [MigrationSet]) throws -> VerificationReport {
        let schema = source.options.connection
        let hasProfile = !source.isInMemory
        return try read { connection in
            try Self.lightReport(connection, sets, schema, hasProfile: hasProfile)
        }
    }

    /// The same without blocking.
    /// - Throws: as its blocking form; `CancellationError`.
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
        let start = Clock.monotonicMicroseconds
        var report = VerificationReport()
        if hasProfile {
            report.outcomes.append(try .of(.profile) { try ProfileCheck.run(connection) })
        }
        let carried: Set<String>
        do {
            carried = Set(try Ledger.history(connection).entries.map(\.set))
        } catch let error as LockstepError where error.code == .tampered {
            report.outcomes.append(try .of(.ledger) { throw error })
            report.duration = Clock.monotonicMicroseconds - start
            return report
        }
        // Of sets that are somebody else's nothing is said: a database may be shared.
        let known = sets.filter { carried.contains($0.name) }
        let isWhole = known.count == carried.count
        report.outcomes.append(
            try .of(.ledger) { try LedgerCheck.run(connection, known, hasOthers: !isWhole) })
        if isWhole {
            report.outcomes.append(
                try .of(.drift) { try DriftCheck.run(connection, known, schema) })
        }
        report.duration = Clock.monotonicMicroseconds - start
        return report
    }
}

extension VerificationReport {
    /// Fails where the report has a failure.
    /// - Throws: ``LockstepError/Code/verificationFailed`` with the first failure; what hindered a check, where that is
    ///   what failed.
    public func requireClean() throws(LockstepError) {
        guard let outcome = outcomes.first(where: \.hasFailed) else { return }
        if let obstacle = outcome.obstacle { throw obstacle }
        let first = outcome.findings.first(where: \.isFailure)?.message ?? outcome.summary
        throw LockstepError(
            .verificationFailed, "\(outcome.check.rawValue): \(first)",
            hint: "`lockstep verify` tells all of it")
    }
}
