import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep baseline`: puts a schema that was made by other means under a migration set's control.
struct Baseline: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Record versions as applied if the database already has their schema.",
        discussion: """
            None of their SQL runs. The schema is first compared with a fresh build of the version; with \
            --accept-differences it is accepted as it is, and `verify` reports the differences. Where older \
            versions are recorded, the later ones are added: for one that `migrate --abandon` gave up and a \
            person finished.

            With --from-database, for example after `lockstep adopt`, the command first writes version 1 from the \
            database's schema into the migrations folder, which must not hold migrations yet.

            With --from-ledger, the version is the newest that the table of another tool records: that of Prisma, Flyway, \
            golang-migrate, dbmate, diesel, sqlx, goose or refinery, by the layout of the folder. For any other layout \
            it is Alembic's, whose identifiers the names of the files must have.
            """)

    @OptionGroup var access: FileOrServerOptions
    @OptionGroup var limitOptions: LimitOptions
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var output: FormatOptions

    @Option(help: "The version of the schema.", transform: MigrationRun.version)
    var at: MigrationVersion?

    @Flag(help: "Write version 1 from the database's schema, and record it.")
    var fromDatabase = false

    @Flag(help: "Record what the table of the folder's own tool records.")
    var fromLedger = false

    @Flag(help: "Accept a schema that differs from that version's.")
    var acceptDifferences = false

    func validate() throws {
        guard [at != nil, fromDatabase, fromLedger].count(where: \.self) == 1 else {
            throw ValidationError(
                "give the version of the schema with --at, write version 1 with --from-database, or take what "
                    + "another tool records with --from-ledger")
        }
        guard at != nil || !acceptDifferences || access.server.isNamed else {
            throw ValidationError(
                "--accept-differences is for --at: the others compare the schema")
        }
        guard !access.server.isNamed || acceptDifferences else {
            throw ValidationError(
                fromDatabase
                    ? "--from-database is for files: write version 1 for a server with pg_dump --schema-only"
                    : "the schema of a server is not compared yet: say --accept-differences to record it as it is")
        }
        guard !fromDatabase || migrations.layout ?? .native == .native else {
            throw ValidationError("--from-database writes Lockstep's own layout: leave out --layout")
        }
    }

    func run() throws {
        try limitOptions.start()
        guard !fromDatabase else { return try writeAndRecord() }
        let set = try migrations.sets(oneFor: "a baseline", for: access.server.isNamed ? .postgres : .sqlite)[0]
        if access.server.isNamed {
            let (count, version) = try ServerRun.baseline(set, at: at, on: access.server)
            return try show(set, count: count, upTo: version)
        }
        let session = try access.session()
        let connection = try session.connect(canBeFirst: true)
        let baseline =
            try at.map { Lockstep.Baseline(set, at: $0, acceptsDifferences: acceptDifferences) }
            ?? Lockstep.Baseline(set, asRecordedIn: connection)
        let count = try UserVersion.noting(connection) { connection in
            try baseline.record(on: connection)
        }
        try show(set, count: count, upTo: baseline.version)
    }

    private func writeAndRecord() throws {
        let session = try access.session()
        let connection = try session.connect(canBeFirst: true)
        let (set, file) = try UserVersion.noting(connection) { connection in
            try Lockstep.Baseline.writeFirstVersion(into: migrations.setFolder, from: connection)
        }
        try show(set, count: set.migrations.count, upTo: set.migrations.last?.version, file)
    }

    private func show(_ set: MigrationSet, count: Int, upTo newest: MigrationVersion?, _ file: FilePath? = nil) throws {
        switch output.format {
        case .json:
            try Output.json(
                ["set": set.name, "recorded": count, "file": file?.string] as JSONObject)
        case .text:
            if let file { Output.line("made \(file)") }
            Output.line(
                "recorded \(counted(count, "version")) of \(set.name) as applied"
                    + (newest.map { ", up to \($0)" } ?? ""))
        }
    }
}
