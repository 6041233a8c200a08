/// The line that a part of a campaign prints at its end, which `make torture` reads:
///
///     campaign SealingFaultTests (kill, rotate): seed 7, 45 steps, 45 kills, 3 borders in 12.3 s, complete
///     campaign HistoryTests: seed 7, 9 steps in 31.0 s, stopped at its time; not checked: the number of steps
public struct CampaignLine: Sendable, CustomStringConvertible {
    /// How the part ended.
    public enum End: String, Sendable {
        /// Everything was done.
        case complete
        /// Its time was over between two steps.
        case time = "stopped at its time"
        /// A signal asked for the end, and the step was finished.
        case signal = "stopped by a signal"
        /// The process ended in the middle of a step.
        case step = "stopped in a step"
    }

    let campaign: String
    let part: String
    let seed: UInt64
    var steps = 0
    private var counts: [(what: String, number: Int)] = []
    var duration = Duration.zero
    var end = End.complete
    /// The checks that hold only for a complete part, and were left out.
    var unchecked: [String] = []

    init(campaign: String, part: String, seed: UInt64) {
        self.campaign = campaign
        self.part = part
        self.seed = seed
    }

    mutating func add(_ number: Int, _ what: String) {
        if let index = counts.firstIndex(where: { $0.what == what }) {
            counts[index].number += number
        } else {
            counts.append((what, number))
        }
    }

    /// The line, without its newline.
    public var description: String {
        let (seconds, rest) = duration.components
        let tenth = rest / 100_000_000_000_000_000
        let numbers = (["seed \(seed)", "\(steps) steps"] + counts.map { "\($0.number) \($0.what)" })
        return "campaign \(campaign)\(part.isEmpty ? "" : " (\(part))"): "
            + "\(numbers.joined(separator: ", ")) in \(seconds).\(tenth) s, \(end.rawValue)"
            + (unchecked.isEmpty ? "" : "; not checked: \(unchecked.joined(separator: ", "))")
    }
}
