import BenchKit
import Lockstep

/// Rows by random keys.
enum PointWorkload: KeyedWorkload {
    static let name = "point"
    static let variants = ["async", "transaction", "typed", "find"]
    static let growth: GrowthSeries? = .init(variant: "async", verb: "reads by key")
    static let goals = [
        Goal("async", .cpu(atMost: 0.5, times: "grdb", ["pool"])),
        Goal("transaction", .cpu(atMost: 0.9, times: "c-sqlcipher", ["transaction"])),
        Goal("transaction", .cpu(atMost: 1, times: "grdb", ["transaction"])),
        Goal("find", .cpu(atMost: 1.6, times: PeerProgram.ownName, ["typed"])),
    ]

    static func operations(_ sizes: Sizes, _ variant: String) -> Int {
        sizes.operations(quick: 5000, full: 100_000)
    }

    static func group(of variant: String) -> String? {
        variant == "async" ? "a transaction each" : "one transaction"
    }

    static func run(_ database: BenchDatabase) throws -> Measurement {
        let keys = Rows.keys(database.request.operations, of: database.request.rows)
        let store = try database.open(database.key())
        var measurement = Measurement()
        try store.blocking.read { db in try measurement.look(at: db) }
        measurement.clock.start()
        let records =
            switch database.request.variant {
            case "transaction": try inOneTransaction(keys, store)
            case "typed":
                try store.blocking.read { db in try keys.map { try Record.find($0, in: db) } }
            case "find":
                try store.blocking.read { db in
                    try keys.map { try Record.found(db.find(Record.self, $0), $0) }
                }
            default: try Blocking.run { try await oneByOne(keys, store) }
            }
        measurement.clock.stop()
        for record in records { measurement.hash.add(record) }
        measurement.operations = records.count
        return measurement
    }

    /// Each read in a separate transaction, one after another, from a task.
    private static func oneByOne(
        _ keys: [Int64], _ store: Store
    ) async throws -> [Record] {
        var records: [Record] = []
        records.reserveCapacity(keys.count)
        for key in keys {
            records.append(try await store.read { db in try Record.find(key, in: db) })
        }
        return records
    }

    /// All reads in one transaction, by one statement.
    private static func inOneTransaction(
        _ keys: [Int64], _ store: Store
    ) throws -> [Record] {
        try store.blocking.read { db in
            var records: [Record] = []
            records.reserveCapacity(keys.count)
            let statement = try db.prepare(
                "SELECT id, a, b, c, d, ratio, first, second, bytes FROM record WHERE id = ?")
            for key in keys {
                let record = try statement.first(key) { row in try Record(row) }
                records.append(try Record.found(record, key))
            }
            return records
        }
    }
}
