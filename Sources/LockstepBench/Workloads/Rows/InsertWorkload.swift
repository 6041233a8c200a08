import Lockstep

/// All rows in one transaction, into an empty table, until the database is closed.
enum InsertWorkload: Workload {
    static let name = "insert"
    static let variants = ["typed", "values", "codable", "single"]
    static let growth: GrowthSeries? = .init(variant: Streaming.variant, verb: "inserts")
    static let goals = [
        Goal("typed", .cpu(atMost: 1.05, times: "c-sqlcipher")), Goal("typed", .cpu(atMost: 0.55, times: "grdb")),
        Goal("typed", .cpu(atMost: 0.2, times: "grdb", ["record"])),
        Goal("codable", .cpu(atMost: 1.6, times: PeerProgram.ownName, ["typed"])),
        Goal("codable", .cpu(atMost: 0.25, times: "grdb", ["codable"])),
        Goal("single", .cpu(atMost: 4, times: PeerProgram.ownName, ["typed"])),
        Goal("single", .cpu(atMost: 0.7, times: "grdb", ["record"])),
    ]
    static let showsRows = true

    static func run(_ database: BenchDatabase) throws -> Measurement {
        switch database.request.variant {
        case Streaming.variant: try runStreamed(database)
        default: try runFromMemory(database)
        }
    }

    private static let sql: SQL = "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"

    private static func runFromMemory(_ database: BenchDatabase) throws -> Measurement {
        let records = Rows.records(database.request.rows)
        return try database.measureWriting(operations: records.count) { store, _ in
            try store.blocking.write { db in
                switch database.request.variant {
                case "values": try insertValues(records, into: db)
                case "codable": try db.insert(all: records)
                case "single":
                    // Each is read back.
                    for record in records { try db.insert(record) }
                default: try db.execute(sql, rows: records)
                }
            }
        }
    }

    private static func insertValues(
        _ records: [Record], into db: borrowing Connection
    ) throws {
        let statement = try db.prepare(sql)
        for record in records {
            try statement.run(
                record.id, record.a, record.b, record.c, record.d, record.ratio, record.first,
                record.second, record.bytes)
        }
    }

    /// Rows are made in batches, while the clock is stopped.
    static func runStreamed(_ database: BenchDatabase) throws -> Measurement {
        let rows = database.request.rows
        return try database.measureWriting(operations: rows) { store, clock in
            try store.blocking.write { db in
                for first in stride(from: 1, through: rows, by: Streaming.batch) {
                    clock.stop()
                    let last = min(first + Streaming.batch - 1, rows)
                    let records = (first...last).map(Rows.record)
                    clock.start()
                    try db.execute(sql, rows: records)
                }
            }
        }
    }
}

/// Tables of any size in little memory: not compared with peers, which all keep every row in memory.
enum Streaming {
    static let variant = "streamed"
    /// The number of rows in memory at once.
    static let batch = 4096
}
