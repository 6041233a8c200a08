import Lockstep
import SystemPackage

/// The migrations of a folder, each in a separate transaction with all checks, into a new database until it is closed;
/// or again, when all of them are applied.
enum MigrateWorkload {
    static func run(_ database: BenchDatabase) throws -> Measurement {
        let folder = try database.request.corpusFolder(.native)
        let key = try database.key()
        var measurement = Measurement()
        measurement.clock.start()
        try migrate(database.createConnection(key), folder, &measurement)
        measurement.clock.stop()
        return try measurement.finished(database)
    }

    /// The whole process is measured.
    static func runAgain(_ database: BenchDatabase) throws -> Measurement {
        let folder = try database.request.corpusFolder(.native)
        var measurement = Measurement()
        try migrate(database.openConnection(database.key()), folder, &measurement)
        guard measurement.operations == 0 else {
            throw BenchError(
                "\(measurement.operations) migrations were not applied yet",
                hint: "run `migrate` on the file first, with the same --corpus")
        }
        measurement.operations = 1
        measurement.clock.stopProcess(startedAt: database.request.startedNanoseconds)
        return try measurement.finished(database)
    }

    private static func migrate(
        _ connection: consuming Connection, _ folder: FilePath, _ measurement: inout Measurement
    ) throws {
        let report = try Migrator(MigrationSet(folder: folder)).run(on: connection)
        measurement.operations = report.steps.count
        try measurement.look(at: connection)
    }
}

/// A table of many rows gets a constraint that ALTER TABLE cannot give it.
enum RebuildWorkload {
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
                (
                    "0002_bound.sql",
                    "-- lockstep: up\n-- lockstep: rebuild table record\n\(definition);"
                ),
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
    static func expected(_ rows: Int) throws -> String {
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

extension BenchDatabase {
    private var connectionOptions: ConnectionOptions {
        var options = ConnectionOptions()
        options.synchronous = request.synchronous == .full ? .full : .normal
        options.cacheBytes = request.cacheBytes
        return options
    }

    func createConnection(_ key: borrowing DatabaseKey) throws -> Connection {
        try Connection.create(request.path, key: key, options: connectionOptions)
    }

    func openConnection(_ key: borrowing DatabaseKey) throws -> Connection {
        try Connection.open(request.path, key: key, options: connectionOptions)
    }
}

extension Measurement {
    /// Adds schema and rows, read back, to the checksum.
    fileprivate consuming func finished(_ database: BenchDatabase) throws -> Measurement {
        let connection = try database.openConnection(database.key())
        try CorpusDigest.add(connection, to: &hash)
        return self
    }
}
