import Lockstep

/// The progress line of a command that copies a database or reads all of it. It also checks for Ctrl-C.
final class CopyProgressLine {
    private let what: String
    private var line = ProgressLine()

    /// - Parameter what: The operation, such as `backup`.
    init(_ what: String) {
        self.what = what
        Interruption.expect()
    }

    deinit { line.end() }

    /// - Throws: ``LockstepError/Code/interrupted`` if a signal has arrived.
    func show(_ progress: JobProgress) throws {
        try Interruption.check()
        line.show("\(what): \(Self.text(progress))")
        // The work after the last step reports no progress.
        if progress.hasEnded { line.end() }
    }

    private static func text(_ progress: JobProgress) -> String {
        switch (progress.phase, progress.phase.subject) {
        case (.examining, _): "examining pages, \(ProgressLine.share(progress))"
        case (.building, _): "indexes, views and triggers"
        case (.verifying, _): "verifying"
        // The number of rows that a damaged table has is unknown.
        case (_, let table?): "\(table), \(counted(progress.done, "row"))"
        default: ProgressLine.share(progress)
        }
    }
}
