import ArgumentParser

/// `lockstep release`: what concerns the signed manifests of datasets.
struct Release: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sign what a dataset holds, check what was signed, and show it.",
        discussion: """
            A manifest says what a release of a dataset holds, signed by its publisher: every column of the tables \
            with sealed values, their indexes and the schema. It says in words what it does not cover. It lies in the database, so that one file is shipped. Who has the publisher's public key sees with it \
            whether rows were deleted, forged, exchanged or put back, and needs no field key.
            """,
        subcommands: [MakeRelease.self, CheckRelease.self, ShowRelease.self])
}
