import Lockstep

/// Commits of one row each, one after another, until the database is closed.
enum CommitWorkload {
    static func run(_ database: BenchDatabase) throws -> Measurement {
        let records = Rows.records(database.request.operations)
        var store: Store? = try database.create()
        var measurement = try InsertWorkload.looked(store, Measurement())
        measurement.clock.start()
        if let store { try write(records, to: store) }
        store = nil
        measurement.clock.stop()
        measurement.operations = records.count
        measurement.hash = try database.reread()
        return measurement
    }

    /// By the blocking call, as the peers do.
    private static func write(_ records: [Record], to store: Store) throws {
        for record in records { try store.write { db in try record.insert(in: db) } }
    }
}
