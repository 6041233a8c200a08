import ArgumentParser
import Lockstep

/// `lockstep redo`: back and up again.
struct Redo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undo the newest versions and apply them again, as their files are now.",
        discussion: """
            A version is undone only by the file that was applied. If you are still writing it and the file has \
            changed, --recorded-down undoes it by what the database recorded, without field keys; then it is \
            applied as the file is now.
            """)

    @OptionGroup var access: AccessOptions
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var runner: RunnerOptions

    @Option(help: "How many versions.")
    var steps: Int = 1

    func validate() throws {
        guard steps > 0 else { throw ValidationError("--steps must be at least 1") }
        try runner.recorded.validate(access.fields)
    }

    func run() throws {
        let sets = try migrations.sets()
        guard sets.count == 1 else {
            throw ValidationError("a redo needs one set: name it with --set")
        }
        var session = try access.session()
        let connection = try session.connect(isFirst: true)
        session.bind(connection)
        defer { session.rememberSealed(connection) }
        try MigrationRun.run(sets, target: .redo(steps), runner, on: connection, output.format)
    }
}
