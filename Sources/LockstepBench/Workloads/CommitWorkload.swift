import Lockstep

/// Commits of one row each, one after another, by the blocking call, until the database is closed.
enum CommitWorkload {
    static func run(_ database: BenchDatabase) throws -> Measurement {
        let records = Rows.records(database.request.operations)
        return try database.measureWriting(operations: records.count) { store, _ in
            for record in records { try store.write { db in try record.insert(in: db) } }
        }
    }
}
