import Lockstep

/// Every row into an array of structs.
enum ScanWorkload {
    static func run(_ database: BenchDatabase) throws -> Measurement {
        let store = try database.open(database.key())
        var measurement = Measurement()
        try store.read { db in try measurement.look(at: db) }
        measurement.clock.start()
        let records =
            switch database.request.variant {
            case "codable": try decoded(store)
            default: try rows(store)
            }
        measurement.clock.stop()
        for record in records { measurement.hash.add(record) }
        measurement.operations = records.count
        return measurement
    }

    /// Columns by their ordinals.
    private static func rows(_ store: Store) throws -> [Record] {
        try store.read { db in
            try db.query(
                "SELECT id, a, b, c, d, ratio, first, second, bytes FROM record ORDER BY id"
            ) { row in try Record(row) }
        }
    }

    /// Columns by their names, through `Decodable`.
    private static func decoded(_ store: Store) throws -> [Record] {
        try store.read { db in
            try db.decode(
                Record.self,
                "SELECT id, a, b, c, d, ratio, first, second, bytes FROM record ORDER BY id")
        }
    }
}
