extension VerificationReport.Check {
    /// The library that reads the file, and its known defects.
    public static let library = Self("library", mayFail: false) { _ in
        .beforehand { _ in try LibraryCheck.run() }
    }
}

/// The SQLCipher library that this process has loaded, and its known defects. The check never fails: a library
/// that cannot be used is refused before a file is opened.
enum LibraryCheck {
    static func run() throws -> CheckResult {
        let library = try LoadedLibrary.current()
        guard !library.defects.isEmpty else { return (library.summary, []) }
        let defects = library.defects.map { "\($0.id) (\($0.shortAnswer))" }.joined(separator: ", ")
        return (
            library.summary,
            [
                .notice(
                    advice: """
                        its known defects, and how Lockstep handles them: \(defects); \(.showLibrary) shows more
                        """)
            ]
        )
    }
}
