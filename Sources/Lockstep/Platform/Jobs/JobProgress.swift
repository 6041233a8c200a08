/// The progress of a long job, such as a backup, a migration or a verification.
///
/// A job calls its `progress` closure on the thread that runs it. An error that the closure throws stops the job, which
/// then throws this error. Cancelling the task stops the job in the same way, with `CancellationError`.
public struct JobProgress: Sendable, Hashable {
    /// A closure that receives progress. An error that it throws stops the job.
    public typealias Handler = (JobProgress) throws -> Void

    /// A part of a job.
    public struct Phase: Sendable, Hashable, CustomStringConvertible {
        /// Its name, such as `copying`. Names are stable: programs can compare them.
        public let name: String
        /// Its subject, such as a table or the version of a set; nil for the whole database.
        public let subject: String?

        /// A phase of this name.
        public init(_ name: String, of subject: String? = nil) {
            self.name = name
            self.subject = subject
        }

        /// The same phase for this subject.
        func of(_ subject: String) -> Phase { Phase(name, of: subject) }

        /// The name and the subject.
        public var description: String { subject.map { "\(name) \($0)" } ?? name }
    }

    /// The unit of ``done`` and ``total``.
    public enum Unit: String, Sendable {
        /// Pages of a database.
        case pages
        /// Rows of one or several tables.
        case rows
        /// Database files.
        case files
        /// Versions of migration sets, or other steps of any length.
        case steps
    }

    /// The current part of the job.
    public let phase: Phase
    /// The current step of the phase, for people; nil if it has only one.
    public let step: String?
    /// The finished part of ``total``.
    public let done: Int
    /// The whole amount; nil if it is unknown. It can grow while other programs write.
    public let total: Int?
    /// The unit of ``done`` and ``total``.
    public let unit: Unit
    /// Whether this is the last progress of the phase. Some phases end without it, when the next one begins.
    public let hasEnded: Bool

    /// - Parameter hasEnded: Nil for a phase that ends when everything is done.
    package init(
        _ phase: Phase, step: String? = nil, _ done: Int, of total: Int? = nil, _ unit: Unit, hasEnded: Bool? = nil
    ) {
        self.phase = phase
        self.step = step
        self.done = done
        self.total = total
        self.unit = unit
        self.hasEnded = hasEnded ?? total.map { done >= $0 } ?? false
    }

    /// Progress in a phase of unknown length.
    package init(_ phase: Phase, step: String? = nil, hasEnded: Bool = false) {
        self.init(phase, step: step, 0, .steps, hasEnded: hasEnded)
    }

    /// Calls `progress`, unless the task is cancelled.
    /// - Throws: `CancellationError`; any error from `progress`.
    package func report(to progress: Handler) throws {
        try Task.checkCancellation()
        try progress(self)
    }
}
