/// What `verify` found, check by check.
public struct VerificationReport: Sendable {
    /// What a check looks at.
    public enum Check: String, Sendable, CaseIterable {
        /// The file is ciphertext, in the pinned profile.
        case encryption
        /// Every page's MAC, in the file and its write-ahead log.
        case pages
        /// SQLite's own check of its structures.
        case integrity
        /// Every child has its parent.
        case foreignKeys = "foreign-keys"
        /// What was applied is what the files say.
        case ledger
        /// The schema is what the migrations make.
        case drift
        /// Neither the file nor its keyring is older than the other.
        case age
        /// The keyring's keys are fit for use.
        case keyring
    }

    /// Something a check has to say.
    public struct Finding: Sendable, Equatable {
        /// Whether it fails the verification; else it is worth knowing.
        public let isFailure: Bool
        /// What and where; never a value.
        public let message: String

        /// A finding that fails the verification.
        static func failure(_ message: String) -> Finding {
            Finding(isFailure: true, message: message)
        }

        /// A finding that is worth knowing.
        static func notice(_ message: String) -> Finding {
            Finding(isFailure: false, message: message)
        }
    }

    /// One check's outcome.
    public struct Outcome: Sendable {
        /// Which check.
        public let check: Check
        /// What it looked at, in a few words and numbers.
        public let summary: String
        /// What it found; empty if all is well.
        public let findings: [Finding]
        /// For how long, in microseconds.
        public let duration: Int64

        /// Whether the check failed.
        public var hasFailed: Bool { findings.contains(where: \.isFailure) }
    }

    /// The checks in the order in which they ran.
    public internal(set) var outcomes: [Outcome] = []

    /// Whether everything holds.
    public var isClean: Bool { !outcomes.contains(where: \.hasFailed) }
}
