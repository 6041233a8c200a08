import ArgumentParser
import Lockstep
import SystemPackage

/// Whose release of what a database has to be.
struct ReleaseOptions: ParsableArguments {
    @Option(
        help:
            "The publisher's key, known from elsewhere, that the database's manifest must be signed with."
    )
    var publisher: String?

    @Option(
        help: """
            The dataset whose manifest it is, by its keyring in the folder of the keyrings. (default: all \
            that the database names)
            """)
    var dataset: String?

    /// The identifier of the dataset that is named.
    func dataset(in folder: FilePath) throws -> [UInt8]? {
        try dataset.map { try KeyringFile.fields(of: $0, in: folder).summary().subjectID }
    }
}
