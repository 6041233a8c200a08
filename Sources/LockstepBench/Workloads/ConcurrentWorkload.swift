import Lockstep

/// Eight tasks that each commit single rows, one after another, until the database is closed.
enum ConcurrentWorkload {
    static func run(_ database: BenchDatabase) throws -> Measurement {
        let records = Rows.records(Concurrency.operations(database.request.operations))
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

    private static func write(_ records: [Record], to store: Store) throws {
        try Blocking.run { try await write(records, to: store) }
    }

    private static func write(_ records: [Record], to store: Store) async throws {
        let each = records.count / Concurrency.writers
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<Concurrency.writers {
                let own = records[writer * each..<(writer + 1) * each]
                group.addTask {
                    for record in own {
                        try await store.write { db in try record.insert(in: db) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
