internal import SystemPackage

/// Whether what fails in a database after a migration is the migration's doing.
enum VerificationChange {
    /// The checks that fail in `after` and did not before.
    ///
    /// What failed before as well does not stand in a migration's way: the migration may be what mends it.
    /// - Parameter before: The state before; asked for only if something fails.
    static func newFailures(
        _ after: VerificationReport, since before: () throws -> VerificationReport
    ) throws -> [VerificationReport.Outcome] {
        let failed = after.outcomes.filter(\.hasFailed)
        guard !failed.isEmpty else { return [] }
        let known = Set(try before().outcomes.filter(\.hasFailed).map(\.check))
        return failed.filter { !known.contains($0.check) }
    }

    /// What is told of checks that failed before as well.
    static func notices(
        _ after: VerificationReport, besides new: [VerificationReport.Outcome]
    ) -> [LockstepError] {
        let fresh = Set(new.map(\.check))
        return after.outcomes.filter { $0.hasFailed && !fresh.contains($0.check) }.map { outcome in
            LockstepError(
                .verificationFailed,
                "the check \(outcome.check.rawValue) fails, as it did before: \(reason(outcome))",
                hint: "run `lockstep verify`")
        }
    }

    /// The error for a database that fails checks which it passed before.
    static func error(_ path: FilePath, _ failed: [VerificationReport.Outcome]) -> LockstepError {
        let reasons = failed.map { "\($0.check.rawValue): \(reason($0))" }
        return LockstepError(
            .verificationFailed,
            "\(path) does not pass verification after the migration: "
                + reasons.joined(separator: "; "),
            hint: "mend the migrations, and try them with `lockstep rehearse`")
    }

    private static func reason(_ outcome: VerificationReport.Outcome) -> String {
        let messages = outcome.findings.filter(\.isFailure).map(\.message)
        let more = messages.count > 3 ? " and \(messages.count - 3) more" : ""
        return messages.prefix(3).joined(separator: ", ") + more
    }
}
