/// The progress of a verification. Several checks run at once, and each reports its own progress.
public struct VerificationProgress: Sendable, Hashable {
    /// The check.
    public let check: VerificationReport.Check
    /// Its current step, if the check has several.
    public internal(set) var step: String?
    /// The part of ``total`` that is done: pages, or versions of a migration set.
    public internal(set) var done = 0
    /// The amount of work; nil if it is unknown.
    public internal(set) var total: Int?
    /// Whether the check has ended.
    public internal(set) var isDone = false
}

/// Reports progress to a program, and keeps the error that the program threw: a check takes errors for failures
/// of its own.
final class ProgressReporter {
    private let body: (VerificationProgress) throws -> Void
    private var last: VerificationProgress?
    private(set) var stop: (any Error)?

    init(_ body: @escaping (VerificationProgress) throws -> Void) { self.body = body }

    func report(_ progress: VerificationProgress) throws {
        last = progress
        do {
            try body(progress)
        } catch {
            stop = stop ?? error
            throw error
        }
    }

    /// Calls the program again while there is no news, so that it can stop the run.
    func repeatLast() throws { if let last { try report(last) } }
}
