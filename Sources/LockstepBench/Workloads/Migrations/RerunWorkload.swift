import BenchKit
import Lockstep

/// The same folder again, when all of its migrations are applied. The whole process is measured.
enum RerunWorkload: Workload {
    static let name = "rerun"
    static let variants = ["folder"]
    static let goals = [Goal("folder", .wallMicroseconds(below: 20_000))]
    static let measuresProcess = true
    static let input = WorkloadInput.file(of: MigrateWorkload.self)

    static func operations(_ sizes: Sizes, _ variant: String) -> Int { 1 }

    static func corpus(_ sizes: Sizes) -> Int? { MigrateWorkload.corpus(sizes) }

    static func expected(_ sizes: Sizes, _ variant: String) throws -> String {
        try MigrateWorkload.expected(sizes, variant)
    }

    static func run(_ database: BenchDatabase) throws -> Measurement {
        let folder = try database.request.corpusFolder(.native)
        var measurement = Measurement()
        try MigrateWorkload.migrate(database.openConnection(database.key()), folder, &measurement)
        guard measurement.operations == 0 else {
            throw BenchError(
                "\(measurement.operations) migrations were not applied yet",
                hint: "run `migrate` on the file first, with the same --corpus")
        }
        measurement.operations = 1
        measurement.clock.stopProcess(startedAt: database.request.startedNanoseconds)
        return try measurement.finished(database)
    }
}
