import BenchKit
import Lockstep

/// Seals, verifies and searches a column of a table, compared with the same work without sealing.
enum SealingWorkload: Workload {
    static let name = "sealing"
    static let variants = Variant.allCases.map(\.rawValue)
    static let goals = [
        Goal("protect", .cpu(atMost: 2, times: PeerProgram.ownName, ["update"])),
        Goal("verify", .wall(atMost: 1.25, times: PeerProgram.ownName, ["open"])),
        Goal("lookup-blind", .cpu(atMost: 1.3, times: PeerProgram.ownName, ["lookup-plain"])),
    ]

    static func synchronous(_ requested: Synchronous?) -> [Synchronous] { [.normal] }

    /// Each row is processed several times, and costs the same in any number of them.
    static func rows(_ sizes: Sizes) -> Int { sizes.rows(quick: 10_000, full: 200_000) }

    static func group(of variant: String) -> String? { Variant(rawValue: variant)?.group }

    /// The variants, in groups that are compared.
    enum Variant: String, CaseIterable {
        /// The strings of a column become cells, including the removal of all plaintext from the file.
        case protect
        /// The same column is set to a constant of a cell's length.
        case update
        /// Every cell is opened in its place, on all processors, as `verify` does.
        case verify
        /// The same number of cells are opened in memory, on the same number of threads: the limit of the ciphers.
        case open
        /// Rows by a value, through a blind index.
        case blind = "lookup-blind"
        /// Rows by a value, through a plain index, plus opening one cell of the same length.
        case plain = "lookup-plain"

        var group: String {
            switch self {
            case .protect, .update: "a column"
            case .verify, .open: "all cells"
            case .blind, .plain: "look-ups"
            }
        }
    }

    static func run(_ database: BenchDatabase) throws -> Measurement {
        let request = database.request
        guard let variant = Variant(rawValue: request.variant) else {
            throw BenchError("sealing has no variant \(request.variant)")
        }
        let keys = try Keyring.create(.fields).fieldKeys(named: "bench")
        let run = Run(database: database, keys: keys, variant: variant)
        switch variant {
        case .protect, .update: return try run.changeColumn()
        case .verify, .open: return try run.openAll()
        case .blind, .plain: return try run.lookUp()
        }
    }

    /// The expected checksum: of all values of the column, or for look-ups of the rows that were found.
    static func expected(_ sizes: Sizes, _ variant: String) -> String {
        let rows = rows(sizes)
        var hash = RowHash()
        switch Variant(rawValue: variant) {
        case .blind, .plain:
            for key in Rows.keys(operations(sizes, variant), of: rows) {
                hash.add(Array(Rows.record(Int(key)).second.utf8))
            }
        default: for id in 1...rows { hash.add(Array(Rows.record(id).first.utf8)) }
        }
        return hash.hex
    }
}

private struct Run {
    let database: BenchDatabase
    let keys: FieldKeys
    let variant: SealingWorkload.Variant

    private var rows: Int { database.request.rows }

    private func open(sealed: Bool) throws -> Connection {
        var options = ConnectionOptions()
        options.synchronous = database.request.synchronous == .full ? .full : .normal
        options.cacheBytes = database.request.cacheBytes
        if sealed {
            options.fieldKeys = [keys]
            options.mayBeUnsealed = true
        }
        return try Connection.open(database.request.path, key: database.key(), options: options)
    }

    /// A table whose strings are not sealed yet.
    private func fill(_ measurement: inout Measurement) throws {
        let store = try database.create()
        try store.blocking.write { db in
            try measurement.look(at: db)
            try db.execute("CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT NOT NULL, note TEXT NOT NULL)")
            let insert = try db.prepare("INSERT INTO film VALUES (?, ?, ?)")
            for id in 1...rows {
                let record = Rows.record(id)
                try insert.run(id, record.first, record.second)
            }
        }
        try store.blocking.close()
    }

    // MARK: A column

    func changeColumn() throws -> Measurement {
        var measurement = Measurement()
        try fill(&measurement)
        let connection = try open(sealed: true)
        measurement.clock.start()
        if variant == .protect {
            try connection.protect("title", of: "film", keys: keys)
        } else {
            // Format, version, nonce, type and tag, plus the average length of the titles.
            let cell = [UInt8](repeating: 0xAA, count: 46 + Rows.record(1).first.utf8.count)
            try connection.execute("UPDATE film SET title = ?", cell)
        }
        measurement.clock.stop()
        measurement.operations = rows
        if variant == .protect {
            try connection.read { db in
                try db.prepare("SELECT title FROM film_open ORDER BY id").forEach { row in
                    measurement.hash.add(Array((try row[0] as String).utf8))
                }
            }
        } else {
            for id in 1...rows { measurement.hash.add(Array(Rows.record(id).first.utf8)) }
        }
        return measurement
    }

    // MARK: All cells

    func openAll() throws -> Measurement {
        var measurement = Measurement()
        try fill(&measurement)
        do { try open(sealed: true).protect("title", of: "film", keys: keys) }
        measurement.operations = rows
        if variant == .verify {
            let check = CellVerification(
                database.request.path, key: try database.key(), keys: [keys], cacheBytes: database.request.cacheBytes)
            measurement.clock.start()
            let failures = try check.run()
            measurement.clock.stop()
            guard failures == 0 else { throw BenchError("\(failures) cells did not open") }
        } else {
            let keys = keys
            let cells = try SealingCost.cells((1...rows).map { Rows.record($0).first }, keys)
            measurement.clock.start()
            try SealingCost.openAll(cells, keys)
            measurement.clock.stop()
        }
        for id in 1...rows { measurement.hash.add(Array(Rows.record(id).first.utf8)) }
        return measurement
    }

    // MARK: Look-ups

    func lookUp() throws -> Measurement {
        var measurement = Measurement()
        try fill(&measurement)
        let count = database.request.operations
        let wanted = Rows.keys(count, of: rows).map { Rows.record(Int($0)) }
        let connection = try open(sealed: variant == .blind)
        if variant == .blind {
            try connection.protect("title", of: "film", keys: keys, indexes: [.init(.exact, bits: 32)])
        } else {
            try connection.execute("CREATE INDEX film_by_title ON film (title)")
        }
        let opening = try SealingCost(keys)
        try connection.read { db in
            measurement.clock.start()
            for record in wanted {
                let notes: [[UInt8]]
                if variant == .blind {
                    let match = try db.matching("title", of: "film", .equal(.text(record.first)))
                    notes = try db.query("SELECT title, note FROM film_open WHERE \(match)") {
                        row in
                        guard try row[0] as String == record.first else { return [] }
                        return Array((try row[1] as String).utf8)
                    }
                } else {
                    notes = try db.query("SELECT title, note FROM film WHERE title = \(record.first)") { row in
                        guard try row[0] as String == record.first else { return [] }
                        return Array((try row[1] as String).utf8)
                    }
                    try opening.openOne()
                }
                for note in notes { measurement.hash.add(note) }
            }
            measurement.clock.stop()
        }
        measurement.operations = count
        return measurement
    }
}
