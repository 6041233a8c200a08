import GRDB
import Synchronization

/// The workloads that write. Their region ends when the database is closed.
enum Writing {
    static func insert(_ options: Options, _ variant: String, _ outcome: inout Outcome) throws {
        switch variant {
        case "arguments":
            // Validated, and bound for the duration of the execution: texts and blobs are not copied.
            try insert(options, &outcome) { (records: [IndexRecord], db) in
                let statement = try db.cachedStatement(sql: IndexRecord.insertion)
                for record in records { try statement.execute(arguments: record.arguments) }
            }
        case "unchecked":
            // As GRDB's own performance tests do it.
            try insert(options, &outcome) { (records: [IndexRecord], db) in
                let statement = try db.cachedStatement(sql: IndexRecord.insertion)
                for record in records {
                    statement.setUncheckedArguments(record.arguments)
                    try statement.execute()
                }
            }
        case "record":
            try insert(options, &outcome) { (records: [IndexRecord], db) in
                for record in records { try record.insert(db) }
            }
        default:
            try insert(options, &outcome) { (records: [CodableRecord], db) in
                for record in records { try record.insert(db) }
            }
        }
    }

    private static func insert<Record: Fields>(
        _ options: Options, _ outcome: inout Outcome, _ body: ([Record], Database) throws -> Void
    ) throws {
        let records: [Record] = Rows.make(options.rows)
        let pool = try DatabasePool.empty(options)
        outcome.settings = try pool.writeWithoutTransaction { db in try Outcome.Settings(db) }
        var clock = Clock()
        clock.start()
        try pool.write { db in try body(records, db) }
        try pool.close()
        clock.stop()
        outcome.operations = options.rows
        outcome.take(clock, try DatabasePool.reread(options))
    }

    static func update(_ options: Options, _ outcome: inout Outcome) throws {
        let keys = Rows.keys(options.operations, of: options.rows)
        let pool = try DatabasePool.peer(options)
        outcome.settings = try pool.writeWithoutTransaction { db in try Outcome.Settings(db) }
        var clock = Clock()
        clock.start()
        try pool.write { db in
            let statement = try db.cachedStatement(sql: "UPDATE record SET d = ? WHERE id = ?")
            for (index, key) in keys.enumerated() {
                try statement.execute(arguments: [index + 1, key])
            }
        }
        try pool.close()
        clock.stop()
        outcome.operations = options.operations
        outcome.take(clock, try DatabasePool.reread(options))
    }

    static func commit(_ options: Options, _ variant: String, _ outcome: inout Outcome) throws {
        let records: [IndexRecord] = Rows.make(options.operations)
        let pool = try DatabasePool.empty(options)
        outcome.settings = try pool.writeWithoutTransaction { db in try Outcome.Settings(db) }
        var clock = Clock()
        clock.start()
        switch variant {
        case "sql":
            for record in records {
                try pool.write { db in
                    try db.cachedStatement(sql: IndexRecord.insertion)
                        .execute(arguments: record.arguments)
                }
            }
        case "record":
            for record in records { try pool.write { db in try record.insert(db) } }
        default:
            for record in records {
                try pool.writeWithoutTransaction { db in
                    try db.cachedStatement(sql: IndexRecord.insertion)
                        .execute(arguments: record.arguments)
                }
            }
        }
        try pool.close()
        clock.stop()
        outcome.operations = options.operations
        outcome.take(clock, try DatabasePool.reread(options))
    }

    static func concurrent(_ options: Options, _ outcome: inout Outcome) async throws {
        let writers = 8
        let each = Int(options.operations) / writers
        let records: [IndexRecord] = Rows.make(Int64(each * writers))
        let pool = try DatabasePool.empty(options)
        outcome.settings = try await pool.writeWithoutTransaction { db in
            try Outcome.Settings(db)
        }
        var clock = Clock()
        clock.start()
        try await withThrowingTaskGroup(of: Void.self) { group in
            // New rows have the next keys, whichever writer they come from.
            let next = NextIndex()
            for _ in 0..<writers {
                group.addTask {
                    while let index = next.take(below: records.count) {
                        let record = records[index]
                        try await pool.write { db in
                            try db.cachedStatement(sql: IndexRecord.insertion)
                                .execute(arguments: record.arguments)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try pool.close()
        clock.stop()
        outcome.operations = Int64(each * writers)
        outcome.take(clock, try DatabasePool.reread(options))
    }
}

/// Hands out the numbers from 0 on.
private final class NextIndex: Sendable {
    private let next = Atomic<Int>(0)

    func take(below end: Int) -> Int? {
        let index = next.add(1, ordering: .relaxed).oldValue
        return index < end ? index : nil
    }
}
