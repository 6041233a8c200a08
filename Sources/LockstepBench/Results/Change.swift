import BenchKit

/// How a variant of Lockstep compares with the same variant in another build.
struct Change: Codable, Hashable, Sendable {
    /// How two spreads relate.
    enum Difference: String, Codable, Sendable {
        case faster
        case slower
        /// The spreads overlap.
        case same
    }

    /// One figure of both builds.
    struct Figure: Codable, Hashable, Sendable {
        /// New by old.
        let ratio: RatioSpread
        let difference: Difference

        /// Nil without runs of both.
        init?(new: [Double], old: [Double]) {
            guard let ratio = Spread.ratio(new, to: old), let now = Spread(new),
                let before = Spread(old)
            else { return nil }
            self.ratio = ratio
            difference = now.overlaps(before) ? .same : now.median < before.median ? .faster : .slower
        }
    }

    /// The fewest runs with a meaningful spread: with three runs each, one of ten equivalent pairs does not overlap by
    /// chance; with five, one of 126.
    static let fewestRepetitions = 3

    let workload: String
    let variant: String
    /// Distinguishes rounds of one workload.
    let group: String?
    let cpu: Figure
    let wall: Figure

    /// The changes of one round.
    static func all(in round: Round, since reference: String) -> [Change] {
        round.series.filter(\.isOwn).compactMap { own in
            guard
                let other = round.series.first(where: {
                    $0.peer == reference && $0.variant == own.variant
                }),
                let cpu = Figure(new: own.cpu, old: other.cpu),
                let wall = Figure(new: own.wall, old: other.wall)
            else { return nil }
            return Change(
                workload: round.name, variant: own.variant, group: round.group, cpu: cpu,
                wall: wall)
        }
    }

    /// For people.
    static func text(_ changes: [Change], since reference: String) -> String {
        var table = Table(words: [0, 1, 2, 3, 4, 5])
        table.rows.append(["workload", "variant", "CPU new/old", "", "wall new/old", ""])
        for change in changes {
            table.rows.append([
                change.workload, change.variant, change.cpu.ratio.text, change.cpu.difference.rawValue,
                change.wall.ratio.text, change.wall.difference.rawValue,
            ])
        }
        let heading = "changes since \(reference); overlapping spreads count as the same"
        return ([heading] + table.lines.map { "  " + $0 }).joined(separator: "\n")
    }
}
