/// How far a verification has come. Several checks run at once, and each tells of itself.
public struct VerificationProgress: Sendable, Hashable {
    /// Which check.
    public let check: VerificationReport.Check
    /// What it is doing, where one check takes several steps.
    public internal(set) var step: String?
    /// What is done of ``total``: pages, or versions of a migration set.
    public internal(set) var done = 0
    /// All there is to do; nil where nobody can know.
    public internal(set) var total: Int?
    /// Whether the check has ended.
    public internal(set) var isDone = false
}

/// Tells a program how far a verification has come, and remembers what it threw: a check takes errors for
/// failures of its own.
final class ProgressTeller {
    private let told: (VerificationProgress) throws -> Void
    private var last: VerificationProgress?
    private(set) var stop: (any Error)?

    init(_ told: @escaping (VerificationProgress) throws -> Void) { self.told = told }

    func tell(_ progress: VerificationProgress) throws {
        last = progress
        do {
            try told(progress)
        } catch {
            stop = stop ?? error
            throw error
        }
    }

    /// Asks whether to go on while there is nothing new.
    func repeatLast() throws { if let last { try tell(last) } }
}
