import ArgumentParser
import Lockstep

/// `lockstep redo`: back and up again.
struct Redo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undo the newest versions and apply them again, as their files are now.",
        discussion: """
            For whoever is still writing a migration: the way down is the one that was recorded, the way \
            up what the file says by now.
            """)

    @OptionGroup var access: AccessOptions
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var runner: RunnerOptions

    @Option(help: "How many versions.")
    var steps: Int = 1

    func validate() throws {
        guard steps > 0 else { throw ValidationError("--steps must be at least 1") }
    }

    func run() throws {
        let sets = try migrations.sets()
        guard sets.count == 1 else {
            throw ValidationError("a redo needs one set: name it with --set")
        }
        let session = try access.session()
        let connection = try session.connect()
        Remembering.tell(connection, of: session.keyring)
        try MigrationRun.run(sets, wish: .redo(steps), runner, on: connection, output.format)
    }
}
