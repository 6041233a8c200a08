import Lockstep

/// Every row into an array of structs.
enum ScanWorkload: Workload {
    static let name = "scan"
    static let variants = ["row", "codable"]
    static let growth: GrowthSeries? = .init(variant: Streaming.variant, verb: "scans")
    static let goals = [
        Goal("row", .cpu(atMost: 1.1, times: "c-sqlcipher", ["copies"])), Goal("row", .cpu(atMost: 1, times: "grdb")),
        Goal("row", .cpu(atMost: 0.45, times: "grdb", ["codable"])),
        Goal("codable", .cpu(atMost: 1.15, times: PeerProgram.ownName, ["row"])),
        Goal("codable", .cpu(atMost: 0.65, times: "grdb", ["codable"])),
    ]
    static let input = WorkloadInput.file(of: FillWorkload.self)

    static func run(_ database: BenchDatabase) throws -> Measurement {
        switch database.request.variant {
        case Streaming.variant: try runStreamed(database)
        default: try runIntoMemory(database)
        }
    }

    private static let sql: SQL = "SELECT id, a, b, c, d, ratio, first, second, bytes FROM record ORDER BY id"

    private static func runIntoMemory(_ database: BenchDatabase) throws -> Measurement {
        let store = try database.open(database.key())
        var measurement = Measurement()
        try store.blocking.read { db in try measurement.look(at: db) }
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
        try store.blocking.read { db in
            try db.query(sql) { row in try Record(row) }
        }
    }

    /// Columns by their names, through `Decodable`.
    private static func decoded(_ store: Store) throws -> [Record] {
        try store.blocking.read { db in
            try db.decode(Record.self, sql)
        }
    }

    /// Columns by their ordinals. Rows are hashed and released in batches, while the clock is stopped.
    private static func runStreamed(_ database: BenchDatabase) throws -> Measurement {
        let store = try database.open(database.key())
        var measurement = Measurement()
        try store.blocking.read { db in
            try measurement.look(at: db)
            var batch: [Record] = []
            batch.reserveCapacity(Streaming.batch)
            measurement.clock.start()
            let statement = try db.prepare(sql)
            try statement.forEach { row in
                batch.append(try Record(row))
                guard batch.count == Streaming.batch else { return }
                measurement.clock.stop()
                measurement.take(&batch)
                measurement.clock.start()
            }
            measurement.clock.stop()
            measurement.take(&batch)
        }
        return measurement
    }
}

extension Measurement {
    fileprivate mutating func take(_ batch: inout [Record]) {
        for record in batch { hash.add(record) }
        operations += batch.count
        batch.removeAll(keepingCapacity: true)
    }
}
