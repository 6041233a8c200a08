/// The findings of `verify`, check by check.
public struct VerificationReport: Sendable {
    /// A result that a check reports.
    public struct Finding: Sendable, Equatable {
        /// Whether it fails the verification. Otherwise it is a notice.
        public internal(set) var isFailure: Bool
        /// The fault and its place; never a value of a row.
        public var message: String { advice.text }
        /// The message, with the actions that it names.
        package internal(set) var advice: LockstepError.Advice
        /// The schema object that differs, how it differs, and both definitions, if the finding is about an
        /// object.
        public internal(set) var difference: SchemaSnapshot.Difference?
        /// All pages that the finding is about. The message can list only the first.
        public internal(set) var pages: [UInt32] = []
        /// The rows that the finding is about, if any.
        public internal(set) var rows: Rows?

        /// Rows of a table without their parents.
        public struct Rows: Sendable, Equatable {
            /// The table that they are in.
            public let table: String
            /// The table that they refer to.
            public let parent: String
            /// How many there are.
            public let count: Int
            /// The rowids of the first of them; empty for a table without rowids.
            public let rowIDs: [Int64]
        }

        /// A finding that fails the verification.
        package static func failure(_ message: String) -> Finding {
            failure(advice: .init(message))
        }

        /// A finding that fails the verification, and whose message names actions.
        package static func failure(advice: LockstepError.Advice) -> Finding {
            Finding(isFailure: true, advice: advice)
        }

        /// A finding that is a notice.
        package static func notice(_ message: String) -> Finding {
            notice(advice: .init(message))
        }

        /// A notice whose message names actions.
        package static func notice(advice: LockstepError.Advice) -> Finding {
            Finding(isFailure: false, advice: advice)
        }
    }

    /// One check's outcome.
    public struct Outcome: Sendable {
        /// The check.
        public let check: Check
        /// The checked amount, in a few words and numbers.
        public let summary: String
        /// Its findings; empty if all is well.
        public let findings: [Finding]
        /// How long it took. Several checks run at once, so that together they take less than the sum.
        public let duration: Duration
        /// The error that kept the check from running, which fails it if it can fail; nil if it ran, or was not asked
        /// for.
        public let obstacle: LockstepError?
        /// Whether the check ran.
        public let isCarriedOut: Bool

        /// Whether the check failed.
        public var hasFailed: Bool { findings.contains(where: \.isFailure) }
    }

    /// The checks, in the order of ``Check/allCases``.
    public package(set) var outcomes: [Outcome] = []
    /// When the verification began, and how long it took.
    public package(set) var time = JobTime()

    package init() {}

    /// Whether no check failed.
    public var isClean: Bool { !outcomes.contains(where: \.hasFailed) }
}

/// Thrown by a check that the verification was not asked for; why not is a notice.
package struct NotAsked: Error {
    let reason: String

    package init(reason: String) { self.reason = reason }
}

/// The result of a check.
package typealias CheckResult = (summary: String, findings: [VerificationReport.Finding])

extension VerificationReport.Outcome {
    /// Runs one check, measures its duration, and turns an error into a failure of the check, or into a notice if the
    /// check cannot fail.
    package static func of(
        _ check: VerificationReport.Check, _ body: () throws -> CheckResult
    ) throws -> VerificationReport.Outcome {
        let start = Clock.monotonicMicroseconds
        var obstacle: LockstepError?
        var isCarriedOut = true
        let result: CheckResult
        do {
            result = try body()
        } catch let skipped as NotAsked {
            isCarriedOut = false
            result = ("not carried out", [.notice(skipped.reason)])
        } catch let error as LockstepError {
            (obstacle, isCarriedOut) = (error, false)
            result = ("could not be carried out", [.failure(error.message)])
        }
        var findings = result.findings
        if !check.mayFail {
            for index in findings.indices { findings[index].isFailure = false }
        }
        return VerificationReport.Outcome(
            check: check, summary: result.summary, findings: findings,
            duration: Clock.time(since: start), obstacle: obstacle, isCarriedOut: isCarriedOut)
    }
}
