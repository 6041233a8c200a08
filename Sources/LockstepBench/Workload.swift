import ArgumentParser
import Lockstep

/// What can be measured.
enum Workload: String, CaseIterable, ExpressibleByArgument {
    /// Open, key, configure, first read.
    case open
    /// All rows in one transaction, into an empty table.
    case insert
    /// Every row into a struct.
    case scan

    var unit: String { self == .open ? "connections" : "rows" }

    /// How many operations one run is.
    func operations(_ bench: Workbench) -> Int { self == .open ? Workbench.openings : bench.rows }

    /// Runs once and gives the time that counts.
    func run(_ bench: Workbench) throws -> Duration {
        switch self {
        case .open: try bench.measureOpening()
        case .insert: try bench.measureInserting()
        case .scan: try bench.measureScanning()
        }
    }
}
