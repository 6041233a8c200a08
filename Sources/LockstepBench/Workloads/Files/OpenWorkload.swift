import Lockstep

/// Open, key, configure, first row; closing is not included. The keyring is already open.
enum OpenWorkload: KeyedWorkload {
    static let name = "open"
    static let variants = ["store"]
    static let goals = [Goal("store", .wallMicroseconds(below: 1000))]

    static func operations(_ sizes: Sizes, _ variant: String) -> Int {
        sizes.operations(quick: 20, full: 100)
    }

    static func run(_ database: BenchDatabase) throws -> Measurement {
        let key = try database.key()
        var measurement = Measurement()
        for id in Rows.keys(database.request.operations, of: database.request.rows) {
            measurement.clock.start()
            let store = try database.open(key)
            let record = try find(id, store)
            measurement.clock.stop()
            measurement.hash.add(record)
            measurement.operations += 1
            if measurement.operations == 1 {
                try store.blocking.read { db in try measurement.look(at: db) }
            }
        }
        return measurement
    }

    private static func find(_ id: Int64, _ store: Store) throws -> Record {
        try store.blocking.read { db in try Record.find(id, in: db) }
    }
}
