import BenchKit
import Lockstep

/// A table of many rows gets a constraint that ALTER TABLE cannot give it.
enum RebuildWorkload: Workload {
    static let name = "rebuild"
    static let variants = ["directive"]
    static let goals = [Goal("directive", .cpu(atMost: 1, times: "sqlcipher-shell"))]
    static let input = WorkloadInput.copy(of: FillWorkload.self)

    /// The table of `fill`, with an added constraint.
    static let definition = """
        CREATE TABLE record (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER NOT NULL,
            c INTEGER NOT NULL, d INTEGER NOT NULL, ratio REAL NOT NULL, first TEXT NOT NULL,
            second TEXT NOT NULL, bytes BLOB NOT NULL, CHECK (length(bytes) = 64))
        """
    static let index = "CREATE INDEX record_by_c ON record (c)"

    static func run(_ database: BenchDatabase) throws -> Measurement {
        let set = try MigrationSet(
            name: "bench",
            files: [
                ("0001_index.sql", "-- lockstep: up\n\(index);"),
                ("0002_bound.sql", "-- lockstep: up\n-- lockstep: rebuild table record\n\(definition);"),
            ])
        let key = try database.key()
        try prepare(database.openConnection(key), set)
        var measurement = Measurement()
        measurement.clock.start()
        try rebuild(database.openConnection(key), set, &measurement)
        measurement.clock.stop()
        measurement.operations = database.request.rows
        measurement.hash = try database.reread()
        return try measurement.finished(database)
    }

    /// The expected checksum: the rows, the schema, and the number of rows again.
    static func expected(_ sizes: Sizes, _ variant: String) throws -> String {
        let rows = rows(sizes)
        var hash = RowHash()
        hash.addRows(rows)
        let db = try Connection.inMemory()
        try db.run(script: "\(definition);\n\(index)")
        try CorpusDigest.addSchema(db, to: &hash)
        hash.add(Int64(rows))
        return hash.hex
    }

    private static func prepare(_ connection: consuming Connection, _ set: MigrationSet) throws {
        _ = try Migrator(set).run(.version(MigrationVersion(1)), on: connection)
    }

    private static func rebuild(
        _ connection: consuming Connection, _ set: MigrationSet, _ measurement: inout Measurement
    ) throws {
        let report = try Migrator(set).run(on: connection)
        guard report.steps.count == 1 else { throw BenchError("the table was not rebuilt") }
        try measurement.look(at: connection)
    }
}
