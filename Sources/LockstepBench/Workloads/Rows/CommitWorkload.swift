import Lockstep

/// Commits of one row each, one after another, by the blocking call, until the database is closed.
enum CommitWorkload: Workload {
    static let name = "commit"
    static let variants = ["sql"]
    static let goals = [Goal("sql", .cpu(atMost: 1, times: "grdb", ["sql", "record"]))]

    static func synchronous(_ requested: Synchronous?) -> [Synchronous] {
        requested.map { [$0] } ?? [.normal, .full]
    }

    static func operations(_ sizes: Sizes, _ variant: String) -> Int {
        sizes.operations(quick: 1000, full: 10_000)
    }

    static func run(_ database: BenchDatabase) throws -> Measurement {
        let records = Rows.records(database.request.operations)
        return try database.measureWriting(operations: records.count) { store, _ in
            for record in records { try store.blocking.write { db in try record.insert(in: db) } }
        }
    }
}
