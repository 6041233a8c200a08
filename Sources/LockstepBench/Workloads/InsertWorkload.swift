import Lockstep

/// All rows in one transaction, into an empty table, until the database is closed.
enum InsertWorkload {
    static func run(_ database: BenchDatabase) throws -> Measurement {
        let records = Rows.records(database.request.rows)
        return try database.measureWriting(records) { store in
            try store.write { db in
                let statement = try db.prepare(
                    "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
                for record in records {
                    try statement.run(
                        record.id, record.a, record.b, record.c, record.d, record.ratio,
                        record.first, record.second, record.bytes)
                }
            }
        }
    }
}
