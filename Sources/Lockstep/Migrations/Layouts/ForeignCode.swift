/// A version that its tool runs as a program. Passing over it would leave a hole, so it must be written as
/// SQL, or stand in the set as a ``CodeMigration``.
public struct ForeignCode: Sendable, Equatable {
    /// Where in the set's order it belongs.
    public let version: MigrationVersion
    /// The file's path in the folder.
    public let fileName: String
    /// What it is written in, for messages.
    public let language: String

    /// The error of a set in which nothing stands for it.
    var error: LockstepError {
        Self.error(
            fileName, language,
            "write version \(version) as SQL; a program in Swift can add it as a CodeMigration")
    }

    /// The error for a program that is no version, so that nothing can stand for it.
    static func refusal(_ source: MigrationSource, _ language: String) -> LockstepError {
        error(source.path, language, "write it as SQL")
    }

    private static func error(
        _ fileName: String, _ language: String, _ what: String
    ) -> LockstepError {
        LockstepError(
            .migrationMalformed,
            "\(fileName) is written in \(language), and cannot be run from a folder",
            hint: "leaving it out would make a hole: \(what)")
    }
}
