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

            --to with an older version leads back, as `rollback` does: by the ways down of the files.

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

    func validate() throws { try runner.recorded.validate(fields, leadsBack: to != nil) }

    func run() throws {
        let sets = try migrations.sets()
        guard to == nil || sets.count == 1 else {
            throw ValidationError("--to needs one set: name it with --set")
        }
        let goal = to.map { Plan.Target.version($0) } ?? .latest
        if let pattern = target.fleet {
            // Asking for a passphrase first would be a waste where there are no files.
            let files = try FleetMigration.files(matching: pattern)
            let keyrings = try FleetKeyrings(keyrings, fields, credentials)
            return try FleetRun.run(
                files, target.jobs, keyrings, sets, goal, runner, safety, output.format)
        }
        var session = try Session.open(target.path(), keyrings, fields, credentials)
        let database = try Self.bind(&session)
        if safety.safe {
            try SafeRun.run(sets, goal, runner, safety, session, output.format)
            return session.rememberSealed(in: database)
        }
        SafeRun.tellIfUnfinished(session.path)
        let connection = try session.connect(isFirst: true)
        // What was committed before a failure is remembered, too.
        defer { session.rememberSealed(connection) }
        try MigrationRun.run(sets, target: goal, runner, on: connection, output.format)
    }

    /// Has the database and its keyring know each other, on a connection that is closed then: a safe run is alone with
    /// the file.
    /// - Returns: The database's id.
    private static func bind(_ session: inout Session) throws -> [UInt8]? {
        let connection = try session.connect(isFirst: true)
        session.bind(connection)
        return try connection.databaseID()
    }
}

/// `lockstep rollback`: back, by the ways down of the files.
struct Rollback: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undo the newest versions, by the ways down of their files.",
        discussion: """
            A version is undone only if its file is there and is what was applied. What the database recorded is \
            compared with the file and does not run, since anyone with the database's key can have changed it. \
            Where the file is gone, --recorded-down runs what was recorded, without field keys. Exits with 4 if \
            file and ledger disagree, with 65 if a row of the ledger does not authenticate.
            """)

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
        try runner.recorded.validate(access.fields)
    }

    func run() throws {
        let sets = try migrations.sets()
        guard sets.count == 1 else {
            throw ValidationError("a rollback needs one set: name it with --set")
        }
        var session = try access.session()
        let connection = try session.connect(isFirst: true)
        session.bind(connection)
        let goal = to.map { Plan.Target.downTo($0) } ?? .back(steps)
        // What was committed before a failure is remembered, too.
        defer { session.rememberSealed(connection) }
        try MigrationRun.run(sets, target: goal, runner, on: connection, output.format)
    }
}
