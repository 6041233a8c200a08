import Lockstep

/// Eight tasks that each commit single rows, one after another, until the database is closed.
enum ConcurrentWorkload {
    static func run(_ database: BenchDatabase) throws -> Measurement {
        let records = Rows.records(Concurrency.operations(database.request.operations))
        return try database.measureWriting(records) { store in
            try Blocking.run { try await write(records, to: store) }
        }
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
