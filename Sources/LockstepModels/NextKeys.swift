internal import Lockstep

/// Keys of new rows, as AUTOINCREMENT would choose them, for rows whose keys must be known before they are inserted.
enum NextKeys {
    /// The first of a number of consecutive keys for rows of `table`, whose AUTOINCREMENT key is the column `key`.
    /// - Throws: `LockstepError.Code.full` if none are left.
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
                hint: "a row already has one of the largest possible keys", context: .init(table: table))
        }
        return last + 1
    }
}
