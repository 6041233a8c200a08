import ArgumentParser
import Lockstep
import SystemPackage

/// The publisher and dataset of the release that a database must match.
struct ReleaseOptions: ParsableArguments {
    @Option(
        help:
            "The key of the publisher that must have signed the manifest, from a source other than the database."
    )
    var publisher: String?

    @Option(
        help: """
            The manifest's dataset, whose keyring is beside the database or in a keyring folder. (default: all datasets that the database \
            names)
            """)
    var dataset: String?

    /// The identifier of the named dataset.
    func dataset(_ keyrings: KeyringOptions, of database: FilePath) throws -> [UInt8]? {
        try dataset.map { try keyrings.fields(of: $0, for: database).summary().subjectID }
    }
}
