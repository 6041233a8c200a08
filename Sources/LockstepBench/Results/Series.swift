/// All runs of one variant of one peer, in the order in which they ran.
struct Series: Codable, Sendable {
    let peer: String
    let variant: String
    let isEncrypted: Bool
    var outcomes: [Outcome] = []

    /// CPU nanoseconds for each operation, run by run.
    var cpu: [Double] { outcomes.map { Double($0.cpuNanoseconds) / Double($0.operations) } }

    /// Wall-clock nanoseconds for each operation, run by run.
    var wall: [Double] { outcomes.map { Double($0.wallNanoseconds) / Double($0.operations) } }

    /// Bytes written per operation, at most; nil if that is not reported.
    var bytesWritten: Double? {
        outcomes.compactMap { outcome in
            outcome.bytesWritten.map { Double($0) / Double(outcome.operations) }
        }.max()
    }

    /// How often a whole run waited for the disk, at most; nil if that is not reported.
    var syncs: Int? { outcomes.compactMap(\.syncs).max() }

    /// The peak memory of any run.
    var peakKiB: Int { outcomes.map(\.peakKiB).max() ?? 0 }

    /// Whether this is Lockstep's.
    var isOwn: Bool { peer == PeerProgram.ownName }
}

/// One workload with all programs that support it, in alternation, so that a machine that slows down affects all of
/// them.
struct Round: Codable, Sendable {
    let workload: WorkloadName
    let synchronous: Synchronous
    let cacheBytes: Int
    let rows: Int
    let operations: Int
    /// Only equivalent variants are compared: reads in one transaction are not comparable to reads in one each.
    let group: String?
    var series: [Series]

    /// The workload, and whether its commits wait for the disk.
    var name: String { workload.rawValue + (synchronous == .full ? ", full" : "") }

    /// The series that ratios refer to: Lockstep's first variant.
    var own: Series? { series.first(where: \.isOwn) }
}
