import Lockstep

/// Updates one column of random rows, by key, in one transaction, until the database is closed.
enum UpdateWorkload: Workload {
    static let name = "update"
    static let variants = ["statement"]
    static let goals = [Goal("statement", .cpu(atMost: 1.05, times: "c-sqlcipher"))]
    static let input = WorkloadInput.copy(of: FillWorkload.self)

    static func operations(_ sizes: Sizes, _ variant: String) -> Int {
        sizes.operations(quick: 5000, full: 100_000)
    }

    static func run(_ database: BenchDatabase) throws -> Measurement {
        let keys = Rows.keys(database.request.operations, of: database.request.rows)
        var measurement = Measurement()
        var store: Store? = try database.open(database.key())
        try store?.blocking.write { db in try measurement.look(at: db) }
        measurement.clock.start()
        try store?.blocking.write { db in
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
    static func expected(_ sizes: Sizes, _ variant: String) -> String {
        let rows = rows(sizes)
        var last: [Int: Int64] = [:]
        for (index, key) in Rows.keys(operations(sizes, variant), of: rows).enumerated() {
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
    func with(d: Int64) -> Record {
        Record(id: id, a: a, b: b, c: c, d: d, ratio: ratio, first: first, second: second, bytes: bytes)
    }
}
