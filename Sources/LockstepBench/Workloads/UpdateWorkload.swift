import Lockstep

/// Updates one column of random rows, by key, in one transaction, until the database is closed.
enum UpdateWorkload {
    static func run(_ database: BenchDatabase) throws -> Measurement {
        let keys = Rows.keys(database.request.operations, of: database.request.rows)
        var measurement = Measurement()
        var store: Store? = try database.open(database.key())
        try store?.write { db in try measurement.look(at: db) }
        measurement.clock.start()
        try store?.write { db in
            let statement = try db.prepare("UPDATE record SET d = ? WHERE id = ?")
            for (index, key) in keys.enumerated() { try statement.run(Int64(index + 1), key) }
        }
        store = nil
        measurement.clock.stop()
        measurement.operations = keys.count
        measurement.hash = try database.reread()
        return measurement
    }

    /// The expected checksum: all rows, where `d` of the updated ones is the number of the operation, from 1 on; the
    /// last update of a row counts.
    static func expected(rows: Int, operations: Int) -> String {
        var last: [Int: Int64] = [:]
        for (index, key) in Rows.keys(operations, of: rows).enumerated() {
            last[Int(key)] = Int64(index + 1)
        }
        var hash = RowHash()
        for id in 1...rows {
            let record = Rows.record(id)
            hash.add(last[id].map { record.with(d: $0) } ?? record)
        }
        return hash.hex
    }
}

extension Record {
    fileprivate func with(d: Int64) -> Record {
        Record(
            id: id, a: a, b: b, c: c, d: d, ratio: ratio, first: first, second: second, bytes: bytes
        )
    }
}
