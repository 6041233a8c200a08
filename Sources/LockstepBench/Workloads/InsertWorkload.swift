import Lockstep

/// All rows in one transaction, into an empty table, until the database is closed.
enum InsertWorkload {
    static func run(_ database: BenchDatabase) throws -> Measurement {
        let records = Rows.records(database.request.rows)
        return try database.measureWriting(records) { store in
            try store.write { db in
                switch database.request.variant {
                case "values": try insertValues(records, into: db)
                default: try db.execute(sql, rows: records)
                }
            }
        }
    }

    private static let sql: SQL = "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"

    private static func insertValues(
        _ records: [Record], into db: borrowing Connection
    ) throws {
        let statement = try db.prepare(sql)
        for record in records {
            try statement.run(
                record.id, record.a, record.b, record.c, record.d, record.ratio, record.first,
                record.second, record.bytes)
        }
    }
}
