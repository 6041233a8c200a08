/// A version that another tool runs as a program. It cannot be skipped, so it must be written as SQL or replaced
/// by a ``CodeMigration`` in the set.
public struct ExternalCode: Sendable, Equatable {
    /// Its place in the set's order.
    public let version: MigrationVersion
    /// The file's path in the folder.
    public let fileName: String
    /// The language of the program, for messages.
    public let language: String

    /// The error for a set without a replacement for it.
    var error: LockstepError {
        Self.error(
            fileName, language, "write version \(version) as SQL; a program in Swift can add it as a CodeMigration"
        ).adding(.init(version: version.description))
    }

    /// The error for a program that is not a version and therefore cannot be replaced.
    static func refusal(_ source: MigrationSource, _ language: String) -> LockstepError {
        error(source.path, language, "write it as SQL")
    }

    private static func error(
        _ fileName: String, _ language: String, _ what: String
    ) -> LockstepError {
        LockstepError(
            .migrationMalformed, "\(fileName) is written in \(language) and cannot run from a folder",
            hint: "skipping it would leave a gap: \(what)", context: .init(file: fileName))
    }
}
