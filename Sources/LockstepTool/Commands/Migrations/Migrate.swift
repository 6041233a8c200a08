import ArgumentParser
import Lockstep

/// `lockstep migrate`: migrates to the newest version, or to the named one.
struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Migrate a database to the newest version.",
        discussion: """
            Each version is one transaction: it is applied and recorded, or the database is unchanged. \
            Before each commit the command checks the foreign keys, the row counts, and that every table, \
            view and trigger can be used.

            --to with an older version migrates down, as `rollback` does, with the files' ways down.

            --safe makes a backup first, verifies the whole database afterwards, and restores the backup \
            if anything fails after a commit. Exits with 8 if the backup was restored, and with 7 if \
            nothing was committed. --fleet migrates many files with one command; with --format json it \
            writes a line for each file as it finishes. After a failure, run it again: it skips what is done.

            --url migrates a database of a PostgreSQL server, with the files for this engine.

            --timeout rolls back the version that runs then; earlier ones stay. With --safe it may also end the \
            restoring of the backup, which the next run finishes.
            """)

    @OptionGroup var target: TargetOptions
    @OptionGroup var keyrings: KeyringOptions
    @OptionGroup var fields: FieldsOptions
    @OptionGroup var credentials: CredentialOptions
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var limitOptions: LimitOptions
    @OptionGroup var output: FormatOptions

    @Option(
        help: "Stop at this version. If it is older than the database's, migrate down to it.",
        transform: MigrationRun.version)
    var to: MigrationVersion?

    @Option(
        help: """
            Give up this version, which was begun but not finished: what has run of it stays, and nothing of it is \
            recorded. Needs neither its file nor its code.
            """, transform: MigrationRun.version)
    var abandon: MigrationVersion?

    @Flag(
        help: """
            Confirm that this database is new to the fields keyrings, which remember others: that the datasets have \
            no sealed columns in it yet, or that it is a fork that you made.
            """)
    var firstTime = false

    @OptionGroup var runner: RunnerOptions
    @OptionGroup var safety: SafetyOptions

    func validate() throws {
        try runner.recorded.validate(fields, leadsBack: to != nil)
        guard abandon == nil || (to == nil && target.fleet == nil && !safety.safe) else {
            throw ValidationError("--abandon gives up one version of one database: omit --to, --fleet and --safe")
        }
        guard !target.server.isNamed || !safety.safe else {
            throw ValidationError(
                "--safe is for files: a backup is the server's, made with pg_basebackup or by its provider; a version is one "
                    + "transaction and rolls back by itself")
        }
    }

    func run() throws {
        let limits = try limitOptions.begin()
        try limits.naming { try run(limits) }
    }

    private func run(_ limits: Limits) throws {
        if let abandon {
            if target.server.isNamed {
                return try ServerRun.abandon(abandon, of: migrations.set, on: target.server, output.format)
            }
            let session = try Session.open(target.path(), keyrings, fields, credentials)
            let connection = try session.connect(canBeFirst: true, limits)
            return try Abandonment(
                version: abandon, migrations: migrations, seconds: limits.seconds(atMost: runner.wait)
            ).run(on: connection, output.format)
        }
        let goal = to.map { Lockstep.Plan.Target.version($0) } ?? .latest
        let sets = try migrations.sets(oneFor: to.map { _ in "--to" }, for: target.server.isNamed ? .postgres : .sqlite)
        if target.server.isNamed {
            return try ServerRun.migrate(
                sets, target: goal, runner, on: target.server, output.format,
                fields: fields.open(keyrings, of: nil, CredentialSource(credentials)), isFirst: firstTime)
        }
        if let pattern = target.fleet {
            // Found before the passphrase prompt: the pattern can match nothing.
            let files = try FleetMigration.files(matching: pattern)
            let keyrings = try FleetKeyrings(keyrings, fields, credentials)
            return try keyrings.whileFieldsUsed {
                try FleetRun.run(
                    files, target.jobs, keyrings, sets, goal, runner, safety, limits, output.format, isFirst: firstTime)
            }
        }
        let session = try Session.open(target.path(), keyrings, fields, credentials)
        // Versions can seal columns.
        try session.whileFieldsUsed { try run(sets, goal, session, limits) }
    }

    private func run(
        _ sets: [MigrationSet], _ goal: Lockstep.Plan.Target, _ session: borrowing Session, _ limits: Limits
    ) throws {
        let database = try remember(session)
        if safety.safe {
            try SafeRun.run(sets, goal, runner, safety, session, limits, output.format)
            return session.rememberSealed(in: database)
        }
        SafeRun.reportIfUnfinished(session.path)
        let connection = try session.connect(canBeFirst: true, isFirst: firstTime, limits)
        // Also remembers the versions committed before a failure.
        defer { session.rememberSealed(connection) }
        try MigrationRun.run(sets, target: goal, runner, limits, on: connection, output.format)
    }

    /// Makes the database remember its keyring. Closes its connection afterwards, because a safe run needs the file for
    /// itself.
    /// - Returns: The database's id.
    private func remember(_ session: borrowing Session) throws -> [UInt8]? {
        let connection = try session.connect(canBeFirst: true, isFirst: firstTime)
        session.remember(connection)
        return try connection.databaseID()
    }
}
