internal import Lockstep

/// Keys of new rows, as AUTOINCREMENT would choose them, for where they must be known before the rows are inserted.
enum NextKeys {
    /// The first of so many keys for rows of `table`, whose key is the column `key` and AUTOINCREMENT.
    /// - Throws: ``LockstepError/Code/full`` where there are none left.
    static func first(
        of count: Int = 1, in table: String, _ key: String, _ connection: borrowing Connection
    ) throws -> Int64 {
        let last: Int64 =
            try connection.value(
                """
                SELECT max(coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = \(table)), 0),
                    coalesce((SELECT max(\(name: key)) FROM \(name: table)), 0))
                """) ?? 0
        guard !last.addingReportingOverflow(Int64(count)).overflow else {
            throw LockstepError(
                .full, "there are no keys left in \(table) for \(count) rows",
                hint: "a row with one of the largest keys stands in the way")
        }
        return last + 1
    }
}
