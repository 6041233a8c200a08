import Lockstep
import SystemPackage

/// Changes the key of a filled file: makes a copy under the new key, verifies it, and replaces the file with it.
enum RotateWorkload {
    static func run(_ database: BenchDatabase) throws -> Measurement {
        var keyring = try database.keyring()
        let rotation = DatabaseKeyRotation(of: database.request.path, keyring: database.keyringFile)
        var measurement = Measurement()
        measurement.clock.start()
        let report = try rotation.run(&keyring)
        measurement.clock.stop()
        guard report.newVersion > report.oldVersion, report.copy != nil else {
            throw BenchError("the key was not changed")
        }
        return try measurement.ofWholeFile(database)
    }
}

/// Every check of a filled file and its keyring, on all processors.
enum VerifyWorkload {
    static func run(_ database: BenchDatabase) throws -> Measurement {
        let keyring = try database.keyring()
        let set = try MigrationSet(
            name: "bench", files: [("0001_table.sql", "-- lockstep: up\n\(BenchDatabase.table);")])
        try takeIntoCare(database.openConnection(keyring.databaseKey()), of: set)
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

extension Measurement {
    /// Adds the content, read back. The engine used its own connections for the work: one opened in the same way
    /// reports the settings.
    fileprivate consuming func ofWholeFile(_ database: BenchDatabase) throws -> Measurement {
        try look(at: database.openConnection(database.key()))
        operations = database.request.rows
        hash = try database.reread()
        return self
    }
}
