import Lockstep

/// The output of `lockstep --version`: the tool, the library that it loaded, and the library's known defects.
enum VersionLines {
    static func show() throws {
        Output.line(LockstepVersion.current)
        let library = try LoadedLibrary.current()
        Output.line(library.summary)
        guard !library.defects.isEmpty else { return Output.line("It has no known defects.") }
        Output.line("Its known defects:")
        for defect in library.defects {
            Output.line("  \(defect.id)")
            Output.line("    effect: \(defect.effect)")
            Output.line("    response: \(defect.answer)")
        }
    }
}
