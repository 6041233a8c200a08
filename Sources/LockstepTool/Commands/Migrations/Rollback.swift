import ArgumentParser
import Lockstep

/// `lockstep rollback`: undoes versions with their files' ways down.
struct Rollback: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undo the newest versions with their files' ways down.",
        discussion: """
            A version is undone only if its file exists and is the one that was applied. The way down recorded in the \
            database is compared with the file but does not run, because anyone with the database's key can change \
            it. If the file is gone, --recorded-down runs the recorded way down, without field keys. Exits with 4 if \
            file and ledger disagree, with 65 if a row of the ledger does not authenticate.
            """)

    @OptionGroup var access: FileOrServerOptions
    @OptionGroup var limitOptions: LimitOptions
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var output: FormatOptions

    @OptionGroup var runner: RunnerOptions

    @Option(help: "How many versions to undo.")
    var steps: Int = 1

    @Option(
        help: ArgumentHelp("Undo all versions above this one; none undoes all.", valueName: "version|none"),
        transform: Self.target)
    var to: MigrationVersion?

    private static func target(_ text: String) throws -> MigrationVersion {
        text == "none" ? .unversioned : try MigrationRun.version(text)
    }

    func validate() throws {
        guard steps > 0 else { throw ValidationError("--steps must be at least 1") }
        try runner.recorded.validate(access.fields)
    }

    func run() throws {
        try limitOptions.start()
        let sets = try migrations.sets(oneFor: "a rollback", for: access.server.isNamed ? .postgres : .sqlite)
        let zero = MigrationVersion(0)
        if to == zero, sets[0].migrations.contains(where: { $0.version == zero }) {
            throw ValidationError(
                "0 is a version of \(sets[0].name): to undo it too, say --to none; to keep it, say --steps")
        }
        let goal = to.map { Lockstep.Plan.Target.downTo($0) } ?? .back(steps)
        if access.server.isNamed {
            return try ServerRun.migrate(sets, target: goal, runner, on: access.server, output.format)
        }
        let session = try access.session()
        try MigrationRun.run(sets, target: goal, runner, in: session, output.format)
    }
}
