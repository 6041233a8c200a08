import Lockstep

/// What a command that copies a database shows while it does, and how it hears of Ctrl-C.
final class CopyProgressLine {
    private let what: String
    private var line = ProgressLine()

    /// - Parameter what: What is being done, such as `backup`.
    init(_ what: String) {
        self.what = what
        Interruption.expect()
    }

    deinit { line.end() }

    /// - Throws: ``LockstepError/Code/interrupted`` if a signal has come.
    func tell(_ progress: CopyProgress) throws {
        try Interruption.check()
        line.show("\(what): \(ProgressLine.share(progress.done, of: progress.total))")
        // What comes behind the last step has no progress of its own.
        if progress.done >= progress.total { line.end() }
    }

    /// The same for a salvage, of which nobody knows how far it has to go.
    func tell(_ progress: SalvageProgress) throws {
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
