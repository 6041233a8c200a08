import ArgumentParser
import Lockstep

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

    @Option(help: "Pad cells to a multiple of this many bytes, which hides the length of values.") var padding: Int?

    @Flag(
        help: """
            Seal equal values to equal cells, for columns used in joins or GROUP BY. Anyone who can open the database \
            then sees which values are equal.
            """)
    var deterministic = false

    @Flag(
        help: """
            Confirm that this database is new to the fields keyring, which remembers others: that the dataset has no \
            sealed columns in it yet, or that it is a fork that you made.
            """)
    var firstTime = false

    func run() throws {
        let indexes = try index.map { text in
            guard var request = SealedIndex.Request(text) else {
                throw ValidationError("“\(text)” is not a valid index: use one such as casefold, prefix-3 or exact:20")
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
