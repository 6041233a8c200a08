import Foundation

/// The outcome of one run: the line of JSON.
struct Outcome: Encodable {
    /// No database: the settings are empty.
    struct Settings: Encodable {
        let pageSize = 0
        let cacheBytes = 0
        let journal = "none"
        let synchronous = "none"
    }

    let peer = "swift-crypto"
    let workload = "fields"
    let variant: String
    let operations: Int64
    let cpuNanoseconds: Int64
    let wallNanoseconds: Int64
    let checksum: String
    let peakKiB: Int64
    let library = "swift-crypto 4.5.2"
    let settings = Settings()

    /// Runs the requested workload.
    init(of options: Options) throws {
        guard options.workload == "fields" else {
            throw Usage("there is no workload \(options.workload)")
        }
        var cells = try Cells(options.variant)
        try cells.run(options.operations)
        variant = cells.variant
        operations = options.operations
        cpuNanoseconds = cells.clock.cpuNanoseconds
        wallNanoseconds = cells.clock.wallNanoseconds
        checksum = cells.hash.hex
        peakKiB = Clock.peakKiB()
    }

    func json() throws -> String {
        String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    }
}
