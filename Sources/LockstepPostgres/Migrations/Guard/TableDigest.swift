internal import Lockstep

/// Sums over a table's rows that say, without their order, whether another one has the same: of the key, and of each column
/// beside the key, so that a value that went to another row changes the sum.
struct TableDigest {
    struct Column {
        let values: Int
        let sum: String
    }

    let rows: Int
    let keys: String
    private(set) var columns: [ExactText: Column] = [:]

    /// A select list has at most 1,664 columns.
    private static let most = 500

    init(
        _ table: TableColumns, of columns: [String], by key: [String], _ seed: Int64,
        _ connection: borrowing ServerConnection
    ) throws {
        let named = "\(SQLTokens.quote(table.schema)).\(SQLTokens.quote(table.name))"
        func sum(_ names: [String]) -> String {
            let row = names.map { "t.\(SQLTokens.quote($0))" }.joined(separator: ", ")
            return """
                coalesce(pg_catalog.sum(pg_catalog.hashtextextended(ROW(\(row))::text COLLATE pg_catalog."C", \
                '\(seed)'::int8)::numeric), 0)::text
                """
        }
        let head = try connection.query(
            ServerSQL(verbatim: "SELECT pg_catalog.count(*), \(sum(key)) FROM ONLY \(named) AS t")
        ) { row in (rows: (try row[0] as ServerCount).value, keys: try row[1] as String) }.first
        (rows, keys) = head ?? (0, "")
        var rest = columns[...]
        while !rest.isEmpty {
            let some = rest.prefix(Self.most)
            rest = rest.dropFirst(Self.most)
            let list = some.map { "pg_catalog.count(t.\(SQLTokens.quote($0))), \(sum(key + [$0]))" }
            let found = try connection.query(
                ServerSQL(verbatim: "SELECT \(list.joined(separator: ", ")) FROM ONLY \(named) AS t")
            ) { row in
                try some.indices.map { index in
                    let place = 2 * (index - some.startIndex)
                    return Column(values: (try row[place] as ServerCount).value, sum: try row[place + 1])
                }
            }.first
            for (name, column) in zip(some, found ?? []) { self.columns[ExactText(name)] = column }
        }
    }
}
