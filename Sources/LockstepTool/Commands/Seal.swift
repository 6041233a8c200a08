import ArgumentParser
import Lockstep
import SystemPackage

/// A column as the command line names it.
struct ColumnName: ExpressibleByArgument {
    let table: String
    let column: String

    init?(argument: String) {
        let parts = argument.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        (table, column) = (String(parts[0]), String(parts[1]))
    }
}

/// Which columns are to be changed, with the one dataset that they belong to.
struct SealedColumnOptions: ParsableArguments {
    @Argument(help: "The columns, as table.column.")
    var columns: [ColumnName]

    @OptionGroup var access: AccessOptions

    @Option(help: "How many rows are changed in one transaction.")
    var batch: Int = Connection.defaultSealingBatch

    func validate() throws {
        guard access.fields.datasets.count == 1 else {
            throw ValidationError("name the one dataset that the columns belong to: --fields NAME")
        }
        guard batch > 0 else { throw ValidationError("--batch must be at least 1") }
    }

    /// Changes one column after the other; each may be interrupted and goes on with the next run.
    /// - Parameters:
    ///   - canBeFirst: Whether that may be the first that is sealed of the dataset anywhere.
    ///   - isFirst: Whether the user says that it is the first of this database.
    func change(
        _ done: String, canBeFirst: Bool = false, isFirst: Bool = false,
        _ body: (borrowing Connection, ColumnName, FieldKeys, (SealingProgress) throws -> Void)
            throws -> Void
    ) throws {
        let session = try access.session()
        guard let keys = session.fields.first else { return }
        Interruption.expect()
        let connection = try session.connect(
            isFirst: isFirst || (canBeFirst && !session.knowsDatabases))
        defer { session.rememberSealed(connection) }
        var line = ProgressLine()
        defer { line.end() }
        for column in columns {
            let title = "\(column.table).\(column.column)"
            var rows = 0
            try body(connection, column, keys) { progress in
                // From the first rows on: after a kill the next command knows the database.
                if rows == 0 { session.rememberSealed(connection) }
                rows = progress.rows
                line.show("\(title): \(progress.rows) of \(progress.total) rows")
                try Interruption.check()
            }
            line.end()
            Output.line("\(done) \(title): \(rows) rows")
        }
    }
}

/// `lockstep seal`: columns of a dataset, outside a migration.
struct Seal: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Seal columns, so that only a fields keyring can read them.",
        discussion: """
            Batch by batch: others read and write meanwhile, and an interrupted run goes on with the next one. At the \
            end the file is written anew without its free pages, so that no plaintext is left in it; that takes \
            twice its size in free space.

            A schema with migrations says so itself: `-- lockstep: protect table.column dataset=NAME`. A column \
            that is sealed with this command is no drift to them; blind indexes that it makes are.
            """)

    @OptionGroup var options: SealedColumnOptions

    @Option(
        parsing: .singleValue,
        help: """
            Make a blind index of each column, to find values by: exact, lower, casefold, digits, email, prefix-N or \
            bucket-WIDTH, and after a colon how many bits. Its tokens show which rows may be equal.
            """)
    var index: [String] = []

    @Flag(
        help: """
            Let an index be of values so few that how often each occurs tells which is which, to everybody who can \
            open the database.
            """)
    var acceptHistogram = false

    @Option(help: "Fill cells up to a multiple of so many bytes, which hides how long values are.")
    var padding: Int?

    @Flag(
        help: """
            Seal equal values to equal cells, for columns that are joined or grouped by. Everybody then sees which \
            are equal.
            """)
    var deterministic = false

    @Flag(
        help: """
            Nothing of the dataset is sealed in this database yet, though the fields keyring remembers other \
            databases that hold it.
            """)
    var firstTime = false

    func run() throws {
        let indexes = try index.map { text in
            guard var request = SealedIndex.Request(text) else {
                throw ValidationError(
                    "there is no index “\(text)”: give one such as casefold, prefix-3 or exact:20")
            }
            request.mayBeHistogram = acceptHistogram
            return request
        }
        try options.change("sealed", canBeFirst: true, isFirst: firstTime) {
            connection, column, keys, progress in
            try connection.protect(
                column.column, of: column.table, keys: keys,
                mode: deterministic ? .deterministic : .random,
                padding: padding.map { .multiple(of: $0) } ?? .none, indexes: indexes,
                batch: options.batch, progress: progress)
        }
    }
}

/// `lockstep unseal`
struct Unseal: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Turn the cells of sealed columns into plaintext again.")

    @OptionGroup var options: SealedColumnOptions

    func run() throws {
        try options.change("unsealed") { connection, column, keys, progress in
            try connection.unprotect(
                column.column, of: column.table, keys: keys, batch: options.batch,
                progress: progress)
        }
    }
}

/// `lockstep reseal`
struct Reseal: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Seal the cells that are under older field keys anew, under the active one.")

    @OptionGroup var options: SealedColumnOptions

    func run() throws {
        try options.change("resealed") { connection, column, keys, progress in
            try connection.reseal(
                column.column, of: column.table, keys: keys, batch: options.batch,
                progress: progress)
        }
    }
}
