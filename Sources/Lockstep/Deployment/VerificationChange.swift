internal import SystemPackage

/// Distinguishes the failures that a migration causes from those that existed before.
enum VerificationChange {
    /// The checks that fail in `after` and did not fail before.
    ///
    /// A check that failed before does not stop a migration, because the migration can be the repair.
    /// - Parameter before: Returns the state before. Called only if something fails.
    static func newFailures(
        _ after: VerificationReport, since before: () throws -> VerificationReport
    ) throws -> [VerificationReport.Outcome] {
        let failed = after.outcomes.filter(\.hasFailed)
        guard !failed.isEmpty else { return [] }
        let known = Set(try before().outcomes.filter(\.hasFailed).map(\.check))
        return failed.filter { !known.contains($0.check) }
    }

    /// Notices for checks that failed before as well.
    static func notices(
        _ after: VerificationReport, besides new: [VerificationReport.Outcome]
    ) -> [LockstepError] {
        let fresh = Set(new.map(\.check))
        return after.outcomes.filter { $0.hasFailed && !fresh.contains($0.check) }.map { outcome in
            LockstepError(
                .verificationFailed, "the check \(outcome.check.rawValue) fails, as it did before: \(reason(outcome))",
                advice: "run \(.verify)")
        }
    }

    /// The error for a database that fails checks that it passed before.
    static func error(_ path: FilePath, _ failed: [VerificationReport.Outcome]) -> LockstepError {
        let reasons = failed.map { "\($0.check.rawValue): \(reason($0))" }
        return LockstepError(
            .verificationFailed,
            "\(path) does not pass verification after the migration: " + reasons.joined(separator: "; "),
            advice: "fix the migrations, and try them with \(.rehearse)", context: .file(path))
    }

    private static func reason(_ outcome: VerificationReport.Outcome) -> String {
        let messages = outcome.findings.filter(\.isFailure).map(\.message)
        let more = messages.count > 3 ? " and \(messages.count - 3) more" : ""
        return messages.prefix(3).joined(separator: ", ") + more
    }
}
