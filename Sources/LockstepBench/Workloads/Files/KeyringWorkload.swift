import Lockstep

/// From the keyring's file to the first row: read it, open its slot with a key file, check its MAC, unwrap the
/// key, then as `open`.
enum KeyringWorkload: KeyedWorkload {
    static let name = "keyring"
    static let variants = ["key-file"]
    static let goals = [Goal("key-file", .wallMicroseconds(below: 5000))]

    static func operations(_ sizes: Sizes, _ variant: String) -> Int {
        sizes.operations(quick: 20, full: 100)
    }

    static func run(_ database: BenchDatabase) throws -> Measurement {
        // Makes the keyring's file if `fill` did not.
        _ = try database.key()
        var measurement = Measurement()
        for id in Rows.keys(database.request.operations, of: database.request.rows) {
            measurement.clock.start()
            let store = try database.open(database.key())
            let record = try store.blocking.read { db in try Record.find(id, in: db) }
            measurement.clock.stop()
            measurement.hash.add(record)
            measurement.operations += 1
            if measurement.operations == 1 {
                try store.blocking.read { db in try measurement.look(at: db) }
            }
        }
        return measurement
    }
}
