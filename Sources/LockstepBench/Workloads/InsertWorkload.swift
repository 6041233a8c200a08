import Lockstep

/// All rows in one transaction, into an empty table, until the database is closed.
enum InsertWorkload {
    static func run(_ database: BenchDatabase) throws -> Measurement {
        let records = Rows.records(database.request.rows)
        var measurement = Measurement()
        var store: Store? = try database.create()
        measurement = try looked(store, measurement)
        measurement.clock.start()
        if let store { try write(records, to: store) }
        store = nil
        measurement.clock.stop()
        measurement.operations = records.count
        measurement.hash = try database.reread()
        return measurement
    }

    private static func write(_ records: [Record], to store: Store) throws {
        try store.write { db in
            let statement = try db.prepare("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
            for record in records {
                try statement.run(
                    record.id, record.a, record.b, record.c, record.d, record.ratio,
                    record.first, record.second, record.bytes)
            }
        }
    }

    /// The settings of the connection that writes.
    static func looked(_ store: Store?, _ measurement: Measurement) throws -> Measurement {
        let seen = try store?.write { db in
            var seen = Measurement()
            try seen.look(at: db)
            return seen
        }
        guard let seen else { return measurement }
        var measurement = measurement
        measurement.settings = seen.settings
        measurement.library = seen.library
        return measurement
    }
}
