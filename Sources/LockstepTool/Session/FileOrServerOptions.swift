import ArgumentParser
import Lockstep
import SystemPackage

/// The database that a command works on, in a file or on a server.
struct FileOrServerOptions: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: "The database file. (default: the variable LOCKSTEP_DATABASE)")
    var database: String?

    @OptionGroup var server: ServerTarget
    @OptionGroup var keyrings: KeyringOptions
    @OptionGroup var fields: FieldsOptions
    @OptionGroup var credentials: CredentialOptions

    func validate() throws {
        guard server.isNamed else {
            _ = try DatabaseOptions.path(database)
            return
        }
        guard database == nil else {
            throw ValidationError("--url names the database: leave out --database")
        }
    }

    /// The file.
    func path() throws -> FilePath { try DatabaseOptions.path(database) }

    func keyringFile() throws -> KeyringFile { keyrings.file(for: try path()) }

    /// Opens the keyring of a file. The database is opened when it is needed.
    /// - Parameter readOnly: Whether the command makes no file beside the database, even for an instant.
    func session(readOnly: Bool = false) throws -> Session {
        try Session.open(
            DatabaseOptions.path(database), keyrings, fields, credentials, isReadOnly: readOnly)
    }
}
