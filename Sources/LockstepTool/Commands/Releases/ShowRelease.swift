import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep release show`
struct ShowRelease: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the manifests that a database carries, as they were signed.",
        discussion: """
            Nothing is checked: `lockstep release check` does. Each manifest is printed byte by byte, so that it \
            can be kept, compared, and checked by other programs.
            """)

    @OptionGroup var access: AccessOptions
    @OptionGroup var output: FormatOptions

    func run() throws {
        let connection = try access.session().connect(queryOnly: true)
        let manifests = try Manifest.stored(in: connection)
        guard !manifests.isEmpty else {
            throw LockstepError(
                .notFound, "the database carries no manifest",
                hint: "its publisher makes one with `lockstep release make`")
        }
        guard output.format == .text else {
            return try Output.json(manifests.map(ReleaseResult.init))
        }
        for manifest in manifests { Output.part(manifest.text) }
    }
}
