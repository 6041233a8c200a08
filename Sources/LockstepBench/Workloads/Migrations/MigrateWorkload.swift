import Lockstep
import SystemPackage

/// The migrations of a folder, each in a separate transaction with all checks, into a new database until it is closed.
enum MigrateWorkload: Workload {
    static let name = "migrate"
    static let variants = ["folder"]
    static let goals =
        [Goal("folder", .cpu(atMost: 1.3, times: "c-sqlcipher"))]
        + ["sql-migrate", "yoyo", "alembic", "sqitch"].map {
            Goal("folder", .cpu(atMost: 1, times: $0))
        }

    static func operations(_ sizes: Sizes, _ variant: String) -> Int {
        sizes.migrations(quick: 40, full: 700)
    }

    static func corpus(_ sizes: Sizes) -> Int? { operations(sizes, "") }

    static func expected(_ sizes: Sizes, _ variant: String) throws -> String {
        try CorpusDigest.expected(MigrationCorpus.migrations(operations(sizes, variant)))
    }

    static func run(_ database: BenchDatabase) throws -> Measurement {
        let folder = try database.request.corpusFolder(.native)
        let key = try database.key()
        var measurement = Measurement()
        measurement.clock.start()
        try migrate(database.createConnection(key), folder, &measurement)
        measurement.clock.stop()
        return try measurement.finished(database)
    }

    static func migrate(
        _ connection: consuming Connection, _ folder: FilePath, _ measurement: inout Measurement
    ) throws {
        let report = try Migrator(MigrationSet(folder: folder)).run(on: connection)
        measurement.operations = report.steps.count
        try measurement.look(at: connection)
    }
}

extension Measurement {
    /// Adds schema and rows, read back, to the checksum.
    consuming func finished(_ database: BenchDatabase) throws -> Measurement {
        let connection = try database.openConnection(database.key())
        try CorpusDigest.add(connection, to: &hash)
        return self
    }
}
