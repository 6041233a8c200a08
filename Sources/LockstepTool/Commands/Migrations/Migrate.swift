import ArgumentParser
import Lockstep

/// `lockstep migrate`: to the newest version, or to the one that is named.
struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring a database to the newest version of its migrations.",
        discussion: """
            Each version is one transaction: it is applied and recorded, or the database is as before. \
            Before each commit foreign keys, row counts and the use of every table, view and trigger \
            are checked.

            --safe adds a backup, a verification of the whole database afterwards, and a way back from \
            whatever fails after a commit: 8 if it was restored, 7 if nothing had been committed. \
            --fleet migrates many files with one command; with --format json it writes a line a file, as \
            they are done. Run it again after a failure: what is done is not done twice.
            """)

    @OptionGroup var target: TargetOptions
    @OptionGroup var keyrings: KeyringOptions
    @OptionGroup var fields: FieldsOptions
    @OptionGroup var credentials: CredentialOptions
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var output: FormatOptions

    @Option(
        help: "Stop at this version; one that is older than the database's leads back to it.",
        transform: MigrationRun.version)
    var to: MigrationVersion?

    @OptionGroup var runner: RunnerOptions
    @OptionGroup var safety: SafetyOptions

    func run() throws {
        let sets = try migrations.sets()
        guard to == nil || sets.count == 1 else {
            throw ValidationError("--to needs one set: name it with --set")
        }
        let wish = to.map { Plan.Wish.version($0) } ?? .latest
        if let pattern = target.fleet {
            // Asking for a passphrase first would be a waste where there are no files.
            let files = try FleetMigration.files(matching: pattern)
            let keyrings = try FleetKeyrings(keyrings, fields, credentials)
            return try FleetRun.run(
                files, target.jobs, keyrings, sets, wish, runner.wait, safety, output.format)
        }
        let session = try Session.open(target.path(), keyrings, fields, credentials)
        Remembering.tell(try session.connect(), of: session.keyring)
        if safety.safe {
            return try SafeRun.run(sets, wish, runner.wait, safety, session, output.format)
        }
        SafeRun.tellIfUnfinished(session.path)
        let connection = try session.connect()
        try MigrationRun.run(sets, wish: wish, runner, on: connection, output.format)
    }
}

/// `lockstep rollback`: back, by the ways down that the ledger keeps.
struct Rollback: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undo the newest versions, by the ways down that were recorded with them.")

    @OptionGroup var access: AccessOptions
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var output: FormatOptions

    @OptionGroup var runner: RunnerOptions

    @Option(help: "How many versions.")
    var steps: Int = 1

    @Option(
        help: "All versions above this one; 0 for all of them.", transform: MigrationRun.version)
    var to: MigrationVersion?

    func validate() throws {
        guard steps > 0 else { throw ValidationError("--steps must be at least 1") }
    }

    func run() throws {
        let sets = try migrations.sets()
        guard sets.count == 1 else {
            throw ValidationError("a rollback needs one set: name it with --set")
        }
        let session = try access.session()
        let connection = try session.connect()
        Remembering.tell(connection, of: session.keyring)
        let wish = to.map { Plan.Wish.downTo($0) } ?? .back(steps)
        try MigrationRun.run(sets, wish: wish, runner, on: connection, output.format)
    }
}
