/// Which SQLCipher this process has loaded, and what is known to be wrong with it. Nothing of it fails: a library that
/// cannot be used is refused before a file is opened.
enum LibraryCheck {
    static func run() throws -> CheckResult {
        let library = try LoadedLibrary.current()
        guard !library.defects.isEmpty else { return (library.summary, []) }
        let defects = library.defects.map { "\($0.id) (\($0.shortAnswer))" }.joined(separator: ", ")
        return (
            library.summary,
            [
                .notice(
                    "its known defects, and what Lockstep does about them: \(defects); `lockstep --version` "
                        + "says more")
            ]
        )
    }
}
