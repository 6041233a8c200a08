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
    @OptionGroup var credentials: CredentialOptions
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var output: FormatOptions

    @Option(
        help: "Stop at this version; one that is older than the database's leads back to it.",
        transform: Self.version)
    var to: MigrationVersion?

    @Option(help: "How many seconds to wait while somebody else holds a lock.")
    var wait: Int = 60

    @OptionGroup var safety: SafetyOptions

    func validate() throws {
        guard (0...1_000_000_000).contains(wait) else {
            throw ValidationError("--wait must be 0 or more seconds")
        }
    }

    func run() throws {
        let sets = try migrations.sets()
        guard to == nil || sets.count == 1 else {
            throw ValidationError("--to needs one set: name it with --set")
        }
        let wish = to.map { Plan.Wish.version($0) } ?? .latest
        if let pattern = target.fleet {
            // Asking for a passphrase first would be a waste where there are no files.
            let files = try FleetMigration.files(matching: pattern)
            let keyrings = try FleetKeyrings(keyrings, credentials)
            return try FleetRun.run(
                files, target.jobs, keyrings, sets, wish, wait, safety, output.format)
        }
        let session = try Session.open(target.path(), keyrings, credentials)
        if safety.safe {
            return try SafeRun.run(sets, wish, wait, safety, session, output.format)
        }
        SafeRun.tellIfUnfinished(session.path)
        let connection = try session.connect()
        try MigrationRun.run(
            sets, wish: wish, wait: wait, on: connection, output.format)
    }
}

extension Migrate {
    static func version(_ text: String) throws -> MigrationVersion {
        guard let version = MigrationVersion(text) else {
            throw ValidationError("a version is a number such as 3, 0.10 or 20240131120000")
        }
        return version
    }
}

/// `lockstep rollback`: back, by the ways down that the ledger keeps.
struct Rollback: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undo the newest versions, by the ways down that were recorded with them.")

    @OptionGroup var access: AccessOptions
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var output: FormatOptions

    @Option(help: "How many versions.")
    var steps: Int = 1

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
        try MigrationRun.run(sets, wish: .back(steps), on: connection, output.format)
    }
}

/// Runs sets and tells what was done.
enum MigrationRun {
    struct Step: Encodable {
        let set: String
        let version: String
        let name: String
        let direction: String
        let statements: Int
        let microseconds: Int64

        init(_ step: MigrationReport.Step) {
            set = step.set
            version = step.version.description
            name = step.name
            direction = step.isUp ? "up" : "down"
            statements = step.statements
            microseconds = step.duration
        }

        func tell() {
            Output.line(
                "\(direction) \(set) \(version) \(name): "
                    + "\(statements) statements, \(Output.duration(microseconds))")
        }
    }

    struct Failure: Encodable {
        let code: String
        let message: String
        let hint: String?

        init(_ error: LockstepError) {
            code = error.code.rawValue
            message = error.message
            hint = error.hint
        }
    }

    struct Result: Encodable {
        var steps: [Step] = []
        var notices: [String] = []
        var error: Failure?
    }

    /// What was done is told even where a later version fails.
    static func run(
        _ sets: [MigrationSet], wish: Plan.Wish, wait: Int = 60,
        on connection: borrowing Connection, _ format: OutputFormat
    ) throws {
        var result = Result()
        var failure: LockstepError?
        for set in sets where failure == nil {
            var report = MigrationReport()
            do {
                try Migrator(set, patience: .seconds(wait)).run(wish, on: connection, into: &report)
            } catch let error as LockstepError {
                failure = error
                result.error = Failure(error)
            }
            result.notices += report.notices.map(\.message)
            result.steps += report.steps.map(Step.init)
        }
        switch format {
        case .json: try Output.json(result)
        case .text: tell(result)
        }
        if let failure { throw failure }
    }

    private static func tell(_ result: Result) {
        for notice in result.notices { Output.note("notice: \(notice)") }
        if result.steps.isEmpty, result.error == nil { Output.line("nothing to do") }
        for step in result.steps { step.tell() }
    }
}
