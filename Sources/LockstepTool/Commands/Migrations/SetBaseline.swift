import ArgumentParser
import Lockstep

/// `lockstep baseline`: takes a schema that was made by other means into a set's care.
struct SetBaseline: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baseline",
        abstract: "Record versions as applied whose schema the database has already.",
        discussion: """
            Nothing of them runs. The schema is compared with a fresh build of the version first; with \
            --accept-differences it is taken as it is, and `verify` tells the differences.
            """)

    @OptionGroup var access: AccessOptions
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var output: FormatOptions

    @Option(help: "The version that the schema is at.", transform: MigrationRun.version)
    var at: MigrationVersion

    @Flag(help: "Take a schema that is not quite that version's.")
    var acceptDifferences = false

    private struct Result: Encodable {
        let set: String
        let recorded: Int
    }

    func run() throws {
        let sets = try migrations.sets()
        guard let set = sets.first, sets.count == 1 else {
            throw ValidationError("a baseline needs one set: name it with --set")
        }
        let session = try access.session()
        let connection = try session.connect(isFirst: true)
        let count = try Baseline(set, at: at, acceptsDifferences: acceptDifferences)
            .record(on: connection)
        switch output.format {
        case .json: try Output.json(Result(set: set.name, recorded: count))
        case .text: Output.line("recorded \(count) versions of \(set.name) as applied, up to \(at)")
        }
    }
}
