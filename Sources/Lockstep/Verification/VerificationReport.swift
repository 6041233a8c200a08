/// What `verify` found, check by check.
public struct VerificationReport: Sendable {
    /// What a check looks at. Raw values are stable: JSON output uses them.
    public enum Check: String, Sendable, CaseIterable {
        /// The library that reads the file, and its known defects.
        case library
        /// The file is ciphertext.
        case encryption
        /// Pages and cipher are as pinned.
        case profile
        /// Nobody else may read or write the file, what lies beside it, and the keyring.
        case permissions
        /// What lies beside the file is what belongs there.
        case sideFiles = "side-files"
        /// Every page's MAC, in the file and its write-ahead log.
        case pages
        /// SQLite's own check of its structures.
        case integrity
        /// Every child has its parent.
        case foreignKeys = "foreign-keys"
        /// Every foreign key has something to refer to.
        case references
        /// SQLite can use every table, view and trigger.
        case objects
        /// What was applied is what the files say.
        case ledger
        /// The schema is what the migrations make.
        case drift
        /// What the database says of its sealed columns is authentic, and so are their guards.
        case registry
        /// Every cell of a sealed column opens in its place, and blind indexes agree with the values.
        case cells
        /// What is sealed is what its publisher has released.
        case manifest
        /// Neither the file nor its keyring is older than the other.
        case age
        /// The keyring's keys are fit for use.
        case keyring
        /// Down and up again leaves the same schema, on a copy.
        case roundTrip = "round-trip"
    }

    /// Something a check has to say.
    public struct Finding: Sendable, Equatable {
        /// Whether it fails the verification; else it is worth knowing.
        public let isFailure: Bool
        /// What and where; never a value of a row.
        public internal(set) var message: String
        /// The object of the schema that differs, in what, and both definitions, where that is what it is
        /// about.
        public internal(set) var difference: SchemaSnapshot.Difference?
        /// The pages that it is about: all of them, where the message tells the first.
        public internal(set) var pages: [UInt32] = []
        /// The rows that it is about, where it is about rows.
        public internal(set) var rows: Rows?

        /// Rows of a table without their parents.
        public struct Rows: Sendable, Equatable {
            /// The table that they are in.
            public let table: String
            /// The table that they refer to.
            public let parent: String
            /// How many there are.
            public let count: Int
            /// The identifiers of the first of them; none in a table without rowids.
            public let rowIDs: [Int64]
        }

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
        /// For how long, in microseconds. Several checks run at once: together they take less than the sum.
        public let duration: Int64
        /// Why the check could not be carried out, which fails it; nil if it was.
        public let obstacle: LockstepError?

        /// Whether the check failed.
        public var hasFailed: Bool { findings.contains(where: \.isFailure) }
    }

    /// The checks, in the order in which ``Check`` has them.
    public internal(set) var outcomes: [Outcome] = []
    /// How long all of it took, in microseconds.
    public internal(set) var duration: Int64 = 0

    /// Whether everything holds.
    public var isClean: Bool { !outcomes.contains(where: \.hasFailed) }
}

/// What a check comes to.
typealias CheckResult = (summary: String, findings: [VerificationReport.Finding])

extension VerificationReport.Outcome {
    /// Runs one check, times it, and turns what it throws into a failure of it.
    static func of(
        _ check: VerificationReport.Check, _ body: () throws -> CheckResult
    ) throws -> VerificationReport.Outcome {
        let start = Clock.monotonicMicroseconds
        var obstacle: LockstepError?
        let result: CheckResult
        do {
            result = try body()
        } catch let error as LockstepError {
            obstacle = error
            result = ("could not be carried out", [.failure(error.message)])
        }
        return VerificationReport.Outcome(
            check: check, summary: result.summary, findings: result.findings,
            duration: Clock.monotonicMicroseconds - start, obstacle: obstacle)
    }
}
