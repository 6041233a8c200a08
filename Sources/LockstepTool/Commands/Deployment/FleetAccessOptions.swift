import ArgumentParser
import Lockstep
import SystemPackage

/// Which database, unless a fleet is named, and what opens it.
struct FleetAccessOptions: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: "The database file. (default: the variable LOCKSTEP_DATABASE)")
    var database: String?

    @OptionGroup var keyrings: KeyringOptions
    @OptionGroup var credentials: CredentialOptions

    func path() throws -> FilePath { try DatabaseOptions.path(database) }

    /// Opens the keyring; the database follows when it is needed.
    func session() throws -> Session { try Session.open(path(), keyrings, credentials) }
}
