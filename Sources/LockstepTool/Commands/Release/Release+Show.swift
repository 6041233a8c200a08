import ArgumentParser
import Lockstep

extension Release {
    /// `lockstep release show`: prints the manifests of a database.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the manifests in a database, as they were signed.",
            discussion: """
                Checks nothing; `lockstep release check` does that. Prints each manifest byte for byte, so that other \
                programs can keep, compare and check it.
                """)

        @OptionGroup var access: AccessOptions
        @OptionGroup var reading: ReadOnlyOption
        @OptionGroup var output: FormatOptions

        func run() throws {
            try access.limitOptions.start()
            let connection = try access.session(readOnly: reading.readOnly).connect(queryOnly: true)
            let manifests = try Manifest.stored(in: connection)
            guard !manifests.isEmpty else {
                throw LockstepError(
                    .notFound, "the database has no manifest",
                    hint: "its publisher makes one with `lockstep release make`")
            }
            guard output.format == .text else { return try Output.json(manifests.map(\.json)) }
            for manifest in manifests { Output.part(manifest.text) }
        }
    }
}
