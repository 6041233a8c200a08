import BenchKit
import Lockstep

/// Every check of a filled file and its keyring, on all processors.
enum VerifyWorkload: Workload {
    static let name = "verify"
    static let variants = ["all"]
    static let growth: GrowthSeries? = .init(variant: "all", verb: "verifies")
    static let goals = [Goal("all", .wall(atMost: 1, times: "c-sqlcipher"))]
    static let input = WorkloadInput.copy(of: FillWorkload.self)

    static func synchronous(_ requested: Synchronous?) -> [Synchronous] { [.normal] }

    static func run(_ database: BenchDatabase) throws -> Measurement {
        let keyring = try database.keyring()
        let set = try MigrationSet(
            name: "bench", files: [("0001_table.sql", "-- lockstep: up\n\(BenchDatabase.table);")])
        try takeIntoCare(database.openConnection(keyring.activeDatabaseKey()), of: set)
        var verification = Verification(database.request.path, sets: [set])
        verification.keyringFile = database.keyringFile.path
        verification.cacheBytes = database.request.cacheBytes
        var measurement = Measurement()
        measurement.clock.start()
        let report = try verification.run(keyring: keyring)
        measurement.clock.stop()
        guard report.isClean else {
            let failed = report.outcomes.filter(\.hasFailed).map(\.check.rawValue)
            throw BenchError("the file did not verify: \(failed.joined(separator: ", "))")
        }
        return try measurement.ofWholeFile(database)
    }

    /// Objects that no version made would be drift.
    private static func takeIntoCare(
        _ connection: consuming Connection, of set: MigrationSet
    ) throws {
        try Baseline(set, at: MigrationVersion(1)).record(on: connection)
    }
}
