import BenchKit
import Lockstep

/// Changes the key of a filled file: makes a copy under the new key, verifies it, and replaces the file with it.
enum RotateWorkload: Workload {
    static let name = "rotate"
    static let variants = ["copy"]
    static let growth: GrowthSeries? = .init(variant: "copy", verb: "rotates")
    /// Lockstep makes a copy and verifies it before it replaces the file; the peer changes pages in place.
    static let goals = [Goal("copy", .cpu(atMost: 3, times: "c-sqlcipher"))]
    static let input = WorkloadInput.copy(of: FillWorkload.self)

    static func synchronous(_ requested: Synchronous?) -> [Synchronous] { [.normal] }

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

extension Measurement {
    /// Adds the content, read back. The engine used its own connections for the work: one opened in the same way
    /// reports the settings.
    consuming func ofWholeFile(_ database: BenchDatabase) throws -> Measurement {
        try look(at: database.openConnection(database.key()))
        operations = database.request.rows
        hash = try database.reread()
        return self
    }
}
