import ArgumentParser
import Lockstep
import LockstepPostgres
import SystemPackage

/// `lockstep copy`: takes a database from a file to a server, or back.
struct Copy: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a database from a file to a PostgreSQL server, or back.",
        discussion: """
            lockstep copy -d films.db --url postgres://app@host/films --to server
            lockstep copy -d films.db --url postgres://app@host/films --to file

            The schema comes from the migrations, which have files for both engines; the target has no tables. Sealed \
            cells go over byte for byte, so that no fields keyring is needed. With --fields the keyrings remember the \
            copy, and without them they refuse it until then.

            On the server, every column that is not sealed is plaintext: each is named in the migrations, with \
            `-- lockstep: plaintext TABLE.COLUMN`, or with --plaintext.

            A copy to a server that was interrupted goes on when it runs again. At the end the rows of both sides are \
            read back and compared: it exits with 65 if they differ. For a copy to a file, make the empty database \
            first, with `lockstep init`.
            """)

    /// Where the copy is made.
    enum Side: String, ExpressibleByArgument, CaseIterable {
        case server, file
    }

    @Option(help: "Which of the two is the copy: server or file.")
    var to: Side

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "A column that may be plaintext on the server, or TABLE.* for all of a table that are not sealed. Can be repeated; commas separate several.",
            valueName: "column"))
    var plaintext: [String] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "A table on the server that the migrations do not make, and whose rows stay there. Can be repeated.",
            valueName: "table"))
    var leaveOut: [String] = []

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var server: ServerTarget
    @OptionGroup var keyrings: KeyringOptions
    @OptionGroup var fields: FieldsOptions
    @OptionGroup var credentials: CredentialOptions
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var limitOptions: LimitOptions
    @OptionGroup var output: FormatOptions

    private var isToServer: Bool { to == .server }

    func validate() throws {
        guard server.isNamed else {
            throw ValidationError("name the server with --url postgres://user@host/database")
        }
        guard isToServer || plaintext.isEmpty else {
            throw ValidationError("--plaintext is for a copy to a server: a file is encrypted as a whole")
        }
        guard !isToServer || leaveOut.isEmpty else {
            throw ValidationError(
                "--leave-out is for a copy to a file: one to a server takes the tables of the migrations")
        }
    }

    func run() throws {
        try limitOptions.start()
        let path = try database.path()
        let sets = try migrations.sets(for: isToServer ? .postgres : .sqlite)
        let session = try Session.open(path, keyrings, fields, credentials)
        let connection = try server.connect()
        let file = try session.readingAgain {
            try Connection.open(path, key: session.key(), options: ConnectionOptions())
        }
        Interruption.expect()
        var copy = ServerCopy(sets)
        copy.plaintext = plaintext.flatMap {
            $0.pieces(between: ",").filter { !$0.isEmpty }.map(String.init)
        }
        copy.leavingOut = leaveOut
        if !isToServer { copy.fieldKeys = session.fields }
        let line = MigrationProgressLine()
        let progress: JobProgress.Handler = {
            try Interruption.check()
            line.show($0)
        }
        let report =
            isToServer
            ? try copy.run(from: file, to: connection, progress: progress)
            : try copy.run(from: connection, to: file, progress: progress)
        try show(report, path)
        if isToServer {
            try session.rememberSealed(from: report.origin) {
                try server.connect(keys: [$0], isNew: true)
            }
        } else {
            session.rememberSealed(in: report.database)
        }
    }

    private func show(_ report: ServerCopy.Report, _ path: FilePath) throws {
        guard output.format == .text else {
            return try Output.json(
                [
                    "database": path.string, "url": server.url ?? "", "to": to.rawValue,
                    "tables": report.tables.map {
                        ["table": $0.name, "rows": $0.rows, "sha256": Hex.encode($0.digest)] as JSONObject
                    },
                ] as JSONObject)
        }
        for table in report.tables {
            Output.line("\(table.name): \(counted(table.rows, "row")), equal on both sides")
        }
        let (from, target) = isToServer ? ("\(path)", server.url ?? "") : (server.url ?? "", "\(path)")
        Output.line("copied \(from) to \(target)")
    }
}
