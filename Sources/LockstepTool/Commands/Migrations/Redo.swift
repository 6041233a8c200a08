import ArgumentParser
import Lockstep

/// `lockstep redo`: undoes versions and applies them again.
struct Redo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undo the newest versions and apply their current files.",
        discussion: """
            A version is undone only with the file that was applied. If you are still writing the file and it has \
            changed, --recorded-down undoes the version with the way down recorded in the database, without field \
            keys; then the current file is applied. On a server the versions are undone and applied in a transaction each.
            """)

    @OptionGroup var access: FileOrServerOptions
    @OptionGroup var limitOptions: LimitOptions
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var runner: RunnerOptions

    @Option(help: "How many versions to redo.")
    var steps: Int = 1

    func validate() throws {
        guard steps > 0 else { throw ValidationError("--steps must be at least 1") }
        try runner.recorded.validate(access.fields)
    }

    func run() throws {
        try limitOptions.start()
        let sets = try migrations.sets(oneFor: "a redo", for: access.server.isNamed ? .postgres : .sqlite)
        if access.server.isNamed {
            return try ServerRun.migrate(sets, target: .redo(steps), runner, on: access.server, output.format)
        }
        let session = try access.session()
        try MigrationRun.run(sets, target: .redo(steps), runner, in: session, output.format)
    }
}
