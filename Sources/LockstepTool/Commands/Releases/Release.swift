import SystemPackage
import Lockstep
import ArgumentParser

/// `lockstep release`: commands for the signed manifests of datasets.
struct Release: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sign the contents of a dataset, check them, and show the manifest.",
        discussion: """
            A manifest states the contents of a dataset's release, signed by its publisher: every column of the \
            tables with sealed values, their indexes and the schema. It also lists what it does not cover. The \
            manifest is stored in the database, so that there is one file to ship. Anyone with the publisher's public \
            key can detect deleted, forged, exchanged or restored rows, without a field key.
            """,
        subcommands: [MakeRelease.self, CheckRelease.self, ShowRelease.self])
}

/// The publisher and dataset of the release that a database must match.
struct ReleaseOptions: ParsableArguments {
    @Option(
        help:
            "The key of the publisher that must have signed the manifest, from a source other than the database."
    )
    var publisher: String?

    @Option(
        help: """
            The manifest's dataset, whose keyring is in the keyring folder. (default: all datasets that the database \
            names)
            """)
    var dataset: String?

    /// The identifier of the named dataset.
    func dataset(in folder: FilePath) throws -> [UInt8]? {
        try dataset.map { try KeyringFile.fields(of: $0, in: folder).summary().subjectID }
    }
}
