/// The sizes on a command line; nil for those that the workloads choose.
struct Sizes: Hashable, Sendable {
    /// Rows of the table.
    var rows: Int?
    /// Operations of workloads that do not count rows.
    var operations: Int?
    /// Migrations of the corpus.
    var migrations: Int?
    var isQuick = false

    func rows(quick: Int, full: Int) -> Int { rows ?? (isQuick ? quick : full) }

    func operations(quick: Int, full: Int) -> Int { operations ?? (isQuick ? quick : full) }

    func migrations(quick: Int, full: Int) -> Int { migrations ?? (isQuick ? quick : full) }
}
