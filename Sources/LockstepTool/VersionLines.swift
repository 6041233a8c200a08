import Lockstep

/// What `lockstep --version` shows: this tool, the library that it has loaded, and what is known to be wrong with it.
enum VersionLines {
    static func show() throws {
        Output.line(LockstepVersion.current)
        let library = try LoadedLibrary.current()
        Output.line(library.summary)
        guard !library.defects.isEmpty else { return Output.line("No defect of it is known.") }
        Output.line("Known defects of it:")
        for defect in library.defects {
            Output.line("  \(defect.id)")
            Output.line("    what: \(defect.effect)")
            Output.line("    answer: \(defect.answer)")
        }
    }
}
