import Foundation
import Lockstep
import SystemPackage
import TestSupport

/// All schedules of all ordered pairs of operations, and those whose result matches neither order of the two.
struct Exploration {
    private let template: Ground
    private let folder: FilePath
    private let peer: Peer
    private(set) var count = 0
    private(set) var refusals: [String: Int] = [:]
    private(set) var findings = 0
    /// Whether its time was over before everything was explored.
    private(set) var isStopped = false
    /// The number of a pair's schedules with findings.
    private(set) var pairs: [String: Int] = [:]

    init(seed: UInt64, in folder: FilePath) throws {
        var random = SplitMix64(state: seed)
        let files = FileManager.default
        let ground = folder.appending("ground")
        self.folder = folder.appending("work")
        for path in [ground, self.folder] {
            try files.createDirectory(atPath: path.string, withIntermediateDirectories: true)
        }
        template = try Ground.make(in: ground, &random)
        peer = try Peer()
    }

    /// Points from the words of a command: "3" is every third, "20-30" are those from 20 to 30.
    static func points(_ text: String) -> StrideThrough<Int>? {
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false).compactMap { Int($0) }
        guard let first = numbers.first, first > 0 else { return nil }
        return numbers.count == 1
            ? stride(from: 1, through: .max, by: first) : stride(from: first, through: numbers[1], by: 1)
    }

    /// Explores one pair from one state, at these points of its first operation as far as it has them.
    /// - Parameter untilFound: whether its first finding is sufficient.
    mutating func explore(
        _ schedule: Schedule, _ points: StrideThrough<Int>, untilFound: Bool, until end: ContinuousClock.Instant
    ) throws {
        guard ContinuousClock.now < end else {
            isStopped = true
            return
        }
        let before = try run(schedule, .before)
        let after = try run(schedule, .after)
        let judge = Judge(
            schedule: schedule, orders: [before, after], firstAlone: try run(schedule, .never).content,
            secondAlone: try run(schedule, .alone).content, neither: try run(schedule, .nobody).content)
        for point in points {
            guard ContinuousClock.now < end else {
                isStopped = true
                return
            }
            let result = try run(schedule, .at(point))
            guard result.second != nil else { return }
            count += 1
            for name in judge.refusals(of: result) { refusals[name, default: 0] += 1 }
            let found = judge.findings(result)
            findings += found.count
            if !found.isEmpty { pairs[schedule.name, default: 0] += 1 }
            // The first few of a pair are sufficient.
            if pairs[schedule.name, default: 0] <= 3 {
                for finding in found {
                    print("FINDING: \(schedule.name), point \(point): \(finding)")
                    fflush(nil)
                }
            }
            if untilFound, !found.isEmpty { return }
        }
    }

    /// The result of an operation alone, from each state.
    func shown(_ operation: Operation) throws -> String {
        try Ground.State.allCases.map { state in
            let result = try run(Schedule(first: operation, second: .verify, state: state), .never)
            return "\(operation.rawValue), \(state.rawValue): \(result.first?.text ?? ""), "
                + "\(result.points) points\n    \(result.content)"
        }.joined(separator: "\n")
    }

    /// Runs one schedule.
    func run(_ schedule: Schedule, _ moment: Schedule.Moment) throws -> Schedule.Result {
        try schedule.run(moment, template, in: folder, peer)
    }
}
