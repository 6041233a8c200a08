import ArgumentParser
import Lockstep
import SystemPackage

/// The database that a command works on, in a file or on a server.
struct FileOrServerOptions: ParsableArguments {
    @OptionGroup private var access: OptionalDatabase

    var server: ServerTarget { access.server }
    var keyrings: KeyringOptions { access.keyrings }
    var fields: FieldsOptions { access.fields }
    var credentials: CredentialOptions { access.credentials }

    func validate() throws { try access.requireDatabase() }

    /// The file.
    func path() throws -> FilePath { try access.path() }

    func keyringFile() throws -> KeyringFile { keyrings.file(for: try path()) }

    /// Opens the keyring of a file. The database is opened when it is needed.
    /// - Parameter readOnly: Whether the command makes no file beside the database, even for an instant.
    func session(readOnly: Bool = false) throws -> Session {
        try access.session(readOnly: readOnly)
    }
}
