import ArgumentParser
import Lockstep

/// A column, as named on the command line.
struct ColumnName: ExpressibleByArgument {
    let table: String
    let column: String

    init?(argument: String) {
        let parts = argument.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        (table, column) = (String(parts[0]), String(parts[1]))
    }
}

/// The columns to change and the one dataset that they belong to.
struct SealedColumnOptions: ParsableArguments {
    @Argument(help: "The columns, as table.column.")
    var columns: [ColumnName]

    @OptionGroup var access: AccessOptions

    @Option(help: "How many rows to change in one transaction.")
    var batch: Int = SealingChange.defaultBatch

    func validate() throws {
        guard access.fields.datasets.count == 1 else {
            throw ValidationError("name the one dataset that the columns belong to: --fields NAME")
        }
        guard batch > 0 else { throw ValidationError("--batch must be at least 1") }
    }

    /// Changes the columns one after the other. The next run continues an interrupted one.
    /// - Parameters:
    ///   - canBeFirst: Whether these columns can be the dataset's first sealed columns in any database.
    ///   - isFirst: Whether the user says that they are the dataset's first sealed columns in this database.
    func change(
        _ done: String, _ goal: SealingGoal, canBeFirst: Bool = false, isFirst: Bool = false
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
            let change = SealingChange(
                table: column.table, column: column.column, goal: goal, batch: batch)
            try change.run(on: connection, keys: keys) { progress in
                // From the first rows on, so that the next command knows the database after a kill.
                if rows == 0 { session.rememberSealed(connection) }
                rows = progress.done
                line.show("\(title): \(rows) of \(counted(progress.total ?? 0, "row"))")
                try Interruption.check()
            }
            line.end()
            Output.line("\(done) \(title): \(counted(rows, "row"))")
        }
    }
}

/// `lockstep seal`: seals columns of a dataset outside a migration.
struct Seal: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Seal columns, so that only a fields keyring can read them.",
        discussion: """
            Seals in batches: other programs can read and write meanwhile, and the next run continues an interrupted \
            one. At the end the file is rewritten without its free pages, so that no plaintext remains in it; this \
            takes free space of twice the file's size.

            In a schema with migrations, declare sealed columns there: `-- lockstep: protect table.column \
            dataset=NAME`. A column sealed with this command is not drift, but the blind indexes that it makes are.
            """)

    @OptionGroup var options: SealedColumnOptions

    @Option(
        parsing: .singleValue,
        help: """
            Make a blind index on each column to look up values: exact, lower, casefold, digits, email, prefix-N or \
            bucket-WIDTH; a colon and a number of bits can follow. Its tokens show which rows are possibly equal.
            """)
    var index: [String] = []

    @Flag(
        help: """
            Allow an index on so few distinct values that their frequencies reveal them to anyone who can open the \
            database.
            """)
    var acceptHistogram = false

    @Option(help: "Pad cells to a multiple of this many bytes, which hides the length of values.")
    var padding: Int?

    @Flag(
        help: """
            Seal equal values to equal cells, for columns used in joins or GROUP BY. Anyone who can open the database \
            then sees which values are equal.
            """)
    var deterministic = false

    @Flag(
        help: """
            Confirm that the dataset has no sealed columns in this database yet, although the fields keyring remembers \
            other databases that have some.
            """)
    var firstTime = false

    func run() throws {
        let indexes = try index.map { text in
            guard var request = SealedIndex.Request(text) else {
                throw ValidationError(
                    "“\(text)” is not a valid index: use one such as casefold, prefix-3 or exact:20"
                )
            }
            request.mayBeHistogram = acceptHistogram
            return request
        }
        let goal = SealingGoal.protect(
            mode: deterministic ? .deterministic : .random,
            padding: padding.map { .multiple(of: $0) } ?? .none, indexes: indexes)
        try options.change("sealed", goal, canBeFirst: true, isFirst: firstTime)
    }
}

/// `lockstep unseal`: turns sealed columns back into plaintext.
struct Unseal: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Turn the cells of sealed columns back into plaintext.")

    @OptionGroup var options: SealedColumnOptions

    func run() throws { try options.change("unsealed", .unprotect) }
}

/// `lockstep reseal`: seals older cells under the active field key.
struct Reseal: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reseal the cells that have older field keys under the active one.")

    @OptionGroup var options: SealedColumnOptions

    func run() throws { try options.change("resealed", .reseal) }
}
