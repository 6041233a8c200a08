/// The column whose order a backfill follows through a table.
struct BackfillKey {
    /// The column's name as an SQL identifier.
    let name: String
    /// All its names.
    let aliases: Set<SQLName>
    private let table: String

    /// A range of keys that covers one batch of rows.
    struct Range {
        let first: Value
        let last: Value
        let rows: Int
    }

    /// - Throws: ``LockstepError/Code/migrationFailed`` if there is no such table;
    ///   ``LockstepError/Code/migrationMalformed`` if the table has no single key.
    init(_ table: String, _ connection: borrowing Connection) throws {
        self.table = table
        let hasRowID = try connection.value(
            """
            SELECT wr = 0 FROM pragma_table_list
            WHERE schema = 'main' AND type = 'table' AND lower(name) = lower(?)
            """, table, as: Bool.self)
        guard let hasRowID else {
            throw LockstepError(
                .migrationFailed, "there is no table \(table) to backfill",
                hint: "check the name in `-- lockstep: backfill …`", context: .init(table: table))
        }
        let columns = try connection.query(
            "SELECT name, pk, type FROM pragma_table_xinfo(?, 'main')", table, as: (SQLName, Int, String).self)
        let keys = columns.filter { $0.1 > 0 }
        guard hasRowID else {
            guard let key = keys.first, keys.count == 1 else {
                throw Self.unsuitable(table, "its key has \(keys.count) columns and it has no rowid")
            }
            name = SQLTokens.quote(key.0.spelling)
            aliases = [key.0]
            return
        }
        let free = RowIDName.free(beside: columns.map(\.0))
        guard let rowID = free.first else {
            throw Self.unsuitable(table, "its columns use all names of the rowid")
        }
        name = rowID
        let alias = keys.filter { $0.2.asciiLowercased == "integer" }.map(\.0)
        aliases = Set(free.map { SQLName($0) }).union(keys.count == 1 ? alias : [])
    }

    /// The next `count` rows after `cursor`; a null cursor starts at the first row. Nil if no rows remain.
    func range(
        after cursor: Value, _ count: Int, _ connection: borrowing Connection
    ) throws -> Range? {
        let condition = cursor == .null ? "" : "WHERE \(name) > ?2"
        let statement = try connection.prepare(
            SQL(
                verbatim: """
                    SELECT min(k), max(k), count(*) FROM (
                        SELECT \(name) AS k FROM main.\(SQLTokens.quote(table)) \(condition)
                        ORDER BY k LIMIT ?1)
                    """))
        try statement.bind(values: cursor == .null ? [.integer(Int64(count))] : [.integer(Int64(count)), cursor])
        return try statement.first { row in
            let rows: Int = try row[2]
            return rows == 0 ? nil : Range(first: try row[0], last: try row[1], rows: rows)
        } ?? nil
    }

    /// The number of rows after `cursor`.
    func rowsLeft(after cursor: Value, _ connection: borrowing Connection) throws -> Int {
        let condition = cursor == .null ? "" : "WHERE \(name) > ?"
        let statement = try connection.prepare(
            SQL(
                verbatim:
                    "SELECT count(*) FROM main.\(SQLTokens.quote(table)) \(condition)"))
        if cursor != .null { try statement.bind(values: [cursor]) }
        return try statement.first { row in try row[0] as Int } ?? 0
    }

    private static func unsuitable(_ table: String, _ why: String) -> LockstepError {
        LockstepError(
            .migrationMalformed, "\(table) cannot be backfilled: \(why)",
            hint: "change it in one transaction, without the directive", context: .init(table: table))
    }
}
