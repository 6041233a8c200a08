/// What a rehearsal has shown.
public struct RehearsalReport: Sendable {
    /// A table whose number of rows a version has changed.
    public struct RowChange: Sendable, Hashable {
        /// The table.
        public let table: String
        /// Its rows before; nil if the version made the table.
        public let before: Int?
        /// Its rows afterwards; nil if the version dropped or renamed the table.
        public let after: Int?
    }

    /// One version that was applied to the copy, or undone.
    public struct Step: Sendable, Hashable {
        /// The set it belongs to.
        public let set: String
        /// Its version.
        public let version: MigrationVersion
        /// Its name.
        public let name: String
        /// Applied, or undone.
        public let isUp: Bool
        /// How many statements ran.
        public let statements: Int
        /// For how long, in microseconds, checks included: so long does the real run keep other writers
        /// waiting, on this machine and at its present load.
        public let duration: Int64
        /// The tables whose number of rows changed, by name.
        public let rows: [RowChange]
    }

    /// In the order in which they ran; those before the failure, if there was one.
    public internal(set) var steps: [Step] = []
    /// What was not as it should be, without standing in the way.
    public internal(set) var notices: [LockstepError] = []
    /// Why the next version failed; nil if all of them got through.
    public internal(set) var failure: LockstepError?
    /// What verification said of the copy afterwards; nil if a version failed, or none was due.
    public internal(set) var verification: VerificationReport?
    /// The checks that fail in the copy and not in the original.
    public internal(set) var newFailures: [VerificationReport.Check] = []
    /// The size of the file before, in bytes.
    public internal(set) var bytesBefore = 0
    /// The size that it comes to, in bytes. Pages that became free are part of it.
    public internal(set) var bytesAfter = 0
    /// The size that its write-ahead log came to, in bytes: what the real run needs beside the file.
    public internal(set) var logBytes = 0
    /// How long it took to make the copy, in microseconds.
    public internal(set) var copyDuration: Int64 = 0

    /// Whether every version got through, and nothing fails afterwards that did not before.
    public var isClean: Bool { failure == nil && newFailures.isEmpty }
    /// For how long, in microseconds, the real run keeps other writers waiting at a time: its longest version.
    public var longestLock: Int64 { steps.map(\.duration).max() ?? 0 }
    /// For how long, in microseconds, it does so in all.
    public var totalLock: Int64 { steps.map(\.duration).reduce(0, +) }
}
