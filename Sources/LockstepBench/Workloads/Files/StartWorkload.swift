import Lockstep

/// What a program's start waits for, up to its first row: a store of a file whose schema is in place. Either with all
/// that an opening checks, or the store alone. Each starts with the keyring's file, and closing is not included.
enum StartWorkload: Workload {
    static let name = "start"
    static let variants = ["migrated", "store"]
    static let goals = [
        Goal("migrated", .cpu(atMost: 3, times: PeerProgram.ownName, ["store"]))
    ]

    static func rows(_ sizes: Sizes) -> Int { operations(sizes, variants[0]) }

    static func operations(_ sizes: Sizes, _ variant: String) -> Int {
        sizes.operations(quick: 20, full: 200)
    }

    static func run(_ database: BenchDatabase) throws -> Measurement {
        let migrations = try MigrationSet(
            name: "records", files: [("0001_record.sql", "-- lockstep: up\n\(BenchDatabase.table);\n")])
        try make(database, migrations)
        var measurement = Measurement()
        for id in 1...database.request.operations {
            measurement.clock.start()
            let store = try open(database, migrations)
            let record = try store.blocking.read { db in try Record.find(Int64(id), in: db) }
            measurement.clock.stop()
            measurement.hash.add(record)
            measurement.operations += 1
            if measurement.operations == 1 {
                try store.blocking.write { db in try measurement.look(at: db) }
            }
            try store.blocking.close()
        }
        return measurement
    }

    private static func make(_ database: BenchDatabase, _ migrations: MigrationSet) throws {
        _ = try database.keyring()
        let store = try database.openWithKeyring(migrations, .openOrCreate)
        let records = Rows.records(database.request.operations)
        try store.blocking.write { db in try db.insert(all: records) }
        try store.blocking.close()
    }

    private static func open(
        _ database: BenchDatabase, _ migrations: MigrationSet
    ) throws -> Store {
        switch database.request.variant {
        case "store": try database.openStoreAlone()
        default: try database.openWithKeyring(migrations, .existing)
        }
    }
}
