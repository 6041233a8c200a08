import BenchKit
import Lockstep

/// A version that updates one column of all rows: compared with the rows before it, and declared not to be. The difference
/// is what the comparison costs.
enum GuardWorkload: Workload {
    static let name = "guard"
    static let variants = ["compared", "unchecked"]
    static let input = WorkloadInput.copy(of: FillWorkload.self)

    private static let update = "UPDATE record SET d = id + 1;"

    static func run(_ database: BenchDatabase) throws -> Measurement {
        let isCompared = database.request.variant == "compared"
        let declared = isCompared ? "" : "-- lockstep: unchecked table record\n"
        let set = try MigrationSet(name: "bench", files: [("0001_d.sql", "-- lockstep: up\n\(declared)\(update)")])
        let key = try database.key()
        var measurement = Measurement()
        measurement.clock.start()
        try migrate(database.openConnection(key), set, &measurement)
        measurement.clock.stop()
        measurement.operations = database.request.rows
        measurement.hash = try database.reread()
        return measurement
    }

    /// The expected checksum: all rows, with the new value of the column.
    static func expected(_ sizes: Sizes, _ variant: String) -> String {
        var hash = RowHash()
        for id in 1...rows(sizes) {
            let record = Rows.record(id)
            hash.add(record.with(d: record.id + 1))
        }
        return hash.hex
    }

    private static func migrate(
        _ connection: consuming Connection, _ set: MigrationSet, _ measurement: inout Measurement
    ) throws {
        let report = try Migrator(set).run(on: connection)
        guard report.steps.count == 1 else { throw BenchError("the column was not updated") }
        try measurement.look(at: connection)
    }
}
