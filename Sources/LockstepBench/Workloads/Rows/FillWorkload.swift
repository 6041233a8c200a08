/// Makes the file that others read or change.
enum FillWorkload: Workload {
    static let name = "fill"
    static let variants = ["default"]
    static let isCompared = false

    static func run(_ database: BenchDatabase) throws -> Measurement {
        try InsertWorkload.runStreamed(database)
    }
}
