import ArgumentParser
import Lockstep
import SystemPackage

/// The database that a command works on, in a file or on a server, if it needs one: a comparison of engines needs none.
struct OptionalDatabase: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: "The database file. (default: the variable LOCKSTEP_DATABASE)")
    var database: String?

    @OptionGroup var server: ServerTarget
    @OptionGroup var keyrings: KeyringOptions
    @OptionGroup var fields: FieldsOptions
    @OptionGroup var credentials: CredentialOptions

    func validate() throws {
        guard server.isNamed, database != nil else { return }
        throw ValidationError("--url names the database: leave out --database")
    }

    /// Whether an option names a database.
    var isNamed: Bool { database != nil || server.isNamed }

    func requireDatabase() throws {
        if !server.isNamed { _ = try path() }
    }

    /// The file.
    func path() throws -> FilePath { try DatabaseOptions.path(database) }

    /// Opens the keyring of a file. The database is opened when it is needed.
    /// - Parameter readOnly: Whether the command makes no file beside the database, even for an instant.
    func session(readOnly: Bool = false) throws -> Session {
        try Session.open(path(), keyrings, fields, credentials, isReadOnly: readOnly)
    }
}
