import BenchKit
import Lockstep
import SystemPackage

/// Many new encrypted files, to which the same migrations are applied with all checks, two files at a time.
enum FleetWorkload: Workload {
    static let name = "fleet"
    static let variants = ["jobs"]
    static let goals = [Goal("jobs", .wall(atMost: 1.3, times: "c-sqlcipher"))]

    /// Migrations that each of its files lacks.
    static let migrations = 16
    /// The number of files in progress at a time, for a machine with two cores.
    private static let jobs = 2

    static func synchronous(_ requested: Synchronous?) -> [Synchronous] { [.normal] }

    static func operations(_ sizes: Sizes, _ variant: String) -> Int {
        sizes.operations(quick: 20, full: 200)
    }

    static func corpus(_ sizes: Sizes) -> Int? { migrations }

    /// Every file's schema and numbers of rows, one file after another.
    static func expected(_ sizes: Sizes, _ variant: String) throws -> String {
        try CorpusDigest.expected(MigrationCorpus.migrations(migrations), times: operations(sizes, variant))
    }

    /// The file with a number, from 1 on, next to the file that the run was given.
    static func file(_ number: Int, beside path: FilePath) -> FilePath {
        FilePath("\(path).\(number)")
    }

    static func run(_ database: BenchDatabase) throws -> Measurement {
        let request = database.request
        let folder = try request.corpusFolder(.native)
        guard request.synchronous == .normal else {
            throw BenchError(
                "a fleet is migrated with synchronous normal, and synced once per file", hint: "leave out --sync full")
        }
        let files = (1...request.operations).map { file($0, beside: request.path) }
        let key = SharedSecret(try database.key())
        for file in files { _ = try Connection.create(file, key: key.value) }
        var measurement = Measurement()
        measurement.clock.start()
        var fleet = FleetMigration(of: files, sets: [try MigrationSet(folder: folder)])
        fleet.jobs = jobs
        fleet.options.cacheBytes = request.cacheBytes
        let report = try fleet.run(
            access: { _ in DatabaseAccess(rawKey: try key.value.clone()) },
            result: { result in if let error = result.error { throw error } })
        measurement.clock.stop()
        measurement.operations = report.migrated
        // The fleet has its own connections: these are opened in the same way.
        var options = fleet.options
        options.synchronous = .normal
        for file in files {
            let connection = try Connection.open(file, key: key.value, options: options)
            try CorpusDigest.add(connection, to: &measurement.hash)
            if file == files.first { try measurement.look(at: connection) }
        }
        return measurement
    }
}
