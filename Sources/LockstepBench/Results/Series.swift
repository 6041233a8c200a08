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

/// A median with the least and the most value.
struct Spread: Codable, Hashable, Sendable {
    let median: Double
    let least: Double
    let most: Double

    /// Whether a value could belong to both.
    func overlaps(_ other: Spread) -> Bool { least <= other.most && other.least <= most }

    /// Nil for no values.
    init?(_ values: [Double]) {
        let sorted = values.sorted()
        guard let least = sorted.first, let most = sorted.last else { return nil }
        let middle = sorted.count / 2
        median =
            sorted.count.isMultiple(of: 2)
            ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
        self.least = least
        self.most = most
    }

    /// How many times `other` this is: of the medians, and between adjacent runs.
    static func ratio(_ one: [Double], to other: [Double]) -> RatioSpread? {
        guard let top = Spread(one), let bottom = Spread(other), bottom.least > 0 else {
            return nil
        }
        let pairs = Spread(zip(one, other).map { $0 / $1 })
        let ofMedians = top.median / bottom.median
        return RatioSpread(
            ofMedians: ofMedians, least: pairs?.least ?? ofMedians, most: pairs?.most ?? ofMedians)
    }
}

/// A ratio of two medians, and the least and most of adjacent runs.
struct RatioSpread: Codable, Hashable, Sendable {
    let ofMedians: Double
    let least: Double
    let most: Double

    /// For people: the ratio of the medians, and the range of adjacent runs.
    var text: String {
        "\(Figures.ratio(ofMedians)) (\(Figures.ratio(least))–\(Figures.ratio(most)))"
    }
}
