import GRDB

/// The workloads that read.
enum Reading {
    private static let byKey = IndexRecord.selection + " WHERE id = ?"

    static func open(_ options: Options, _ outcome: inout Outcome) throws {
        var clock = Clock()
        var hash = RowHash()
        for key in Rows.keys(options.operations, of: options.rows) {
            clock.start()
            let pool = try DatabasePool.peer(options)
            let record = try pool.read { db in
                try IndexRecord.fetchOne(db, sql: byKey, arguments: [key])
            }
            clock.stop()
            try hash.add(found(record, key))
            outcome.settings = try pool.read { db in try Outcome.Settings(db) }
            try pool.close()
        }
        outcome.operations = options.operations
        outcome.take(clock, hash)
    }

    static func scan(_ options: Options, _ variant: String, _ outcome: inout Outcome) throws {
        switch variant {
        case "index": try scan(options, as: IndexRecord.self, &outcome)
        case "named": try scan(options, as: NamedRecord.self, &outcome)
        default: try scan(options, as: CodableRecord.self, &outcome)
        }
    }

    private static func scan<Record: Fields & FetchableRecord>(
        _ options: Options, as type: Record.Type, _ outcome: inout Outcome
    ) throws {
        let pool = try DatabasePool.peer(options)
        outcome.settings = try pool.read { db in try Outcome.Settings(db) }
        var clock = Clock()
        clock.start()
        let records = try pool.read { db in
            try Record.fetchAll(db, sql: IndexRecord.selection + " ORDER BY id")
        }
        clock.stop()
        var hash = RowHash()
        for record in records { hash.add(record) }
        outcome.operations = Int64(records.count)
        outcome.take(clock, hash)
        try pool.close()
    }

    /// Each read in a transaction of its own, one after another.
    static func pool(_ options: Options, _ outcome: inout Outcome) async throws {
        let keys = Rows.keys(options.operations, of: options.rows)
        let pool = try DatabasePool.peer(options)
        outcome.settings = try await pool.read { db in try Outcome.Settings(db) }
        var records: [IndexRecord] = []
        records.reserveCapacity(keys.count)
        var clock = Clock()
        clock.start()
        for key in keys {
            let record = try await pool.read { db in
                try IndexRecord.fetchOne(db.cachedStatement(sql: byKey), arguments: [key])
            }
            records.append(try found(record, key))
        }
        clock.stop()
        finish(records, clock, &outcome)
        try pool.close()
    }

    /// All reads in one transaction.
    static func transaction(_ options: Options, _ outcome: inout Outcome) throws {
        let keys = Rows.keys(options.operations, of: options.rows)
        let pool = try DatabasePool.peer(options)
        outcome.settings = try pool.read { db in try Outcome.Settings(db) }
        var clock = Clock()
        clock.start()
        let records = try pool.read { db in
            var records: [IndexRecord] = []
            records.reserveCapacity(keys.count)
            let statement = try db.cachedStatement(sql: byKey)
            for key in keys {
                let record = try IndexRecord.fetchOne(statement, arguments: [key])
                records.append(try found(record, key))
            }
            return records
        }
        clock.stop()
        finish(records, clock, &outcome)
        try pool.close()
    }

    private static func finish(
        _ records: [IndexRecord], _ clock: Clock, _ outcome: inout Outcome
    ) {
        var hash = RowHash()
        for record in records { hash.add(record) }
        outcome.operations = Int64(records.count)
        outcome.take(clock, hash)
    }

    private static func found(_ record: IndexRecord?, _ key: Int64) throws -> IndexRecord {
        guard let record else { throw Usage("there is no row \(key): fill the file first") }
        return record
    }
}
