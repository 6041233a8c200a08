import ArgumentParser
import Lockstep

/// `lockstep baseline`: puts a schema that was made by other means under a migration set's control.
struct Baseline: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Record versions as applied if the database already has their schema.",
        discussion: """
            None of their SQL runs. The schema is first compared with a fresh build of the version; with \
            --accept-differences it is accepted as it is, and `verify` reports the differences.
            """)

    @OptionGroup var access: AccessOptions
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var output: FormatOptions

    @Option(help: "The version of the schema.", transform: MigrationRun.version)
    var at: MigrationVersion

    @Flag(help: "Accept a schema that differs from that version's.")
    var acceptDifferences = false

    func run() throws {
        let set = try migrations.sets(oneFor: "a baseline")[0]
        let session = try access.session()
        let connection = try session.connect(canBeFirst: true)
        let count = try Lockstep.Baseline(set, at: at, acceptsDifferences: acceptDifferences)
            .record(on: connection)
        switch output.format {
        case .json: try Output.json(["set": set.name, "recorded": count] as JSONObject)
        case .text:
            Output.line(
                "recorded \(counted(count, "version")) of \(set.name) as applied, up to \(at)")
        }
    }
}
