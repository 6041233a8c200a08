import Lockstep

/// The progress line of a command that copies a database. It also checks for Ctrl-C.
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
        line.show("\(what): \(ProgressLine.share(progress.done, of: progress.total ?? 0))")
        // The work after the last step reports no progress.
        if progress.hasEnded { line.end() }
    }

    /// The same for a salvage, whose total is unknown.
    func show(_ progress: SalvageProgress) throws {
        try Interruption.check()
        switch progress {
        case .examining(let pages, let total):
            line.show("\(what): examining pages, \(ProgressLine.share(pages, of: total))")
        case .copying(let table, let rows): line.show("\(what): \(table), \(counted(rows, "row"))")
        case .building: line.show("\(what): indexes, views and triggers")
        case .verifying: line.show("\(what): verifying")
        }
    }
}
