import ArgumentParser
import Lockstep

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
        subcommands: [Make.self, Check.self, Show.self])
}
