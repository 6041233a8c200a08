import TestSupport

@testable import Lockstep

/// Runs sequences of verbs from one beginning, and collects what they break.
final class CustodySearch {
    private struct State {
        let files: CustodyBench.Files
        let truth: CustodyVerb.Truth
        var path: [String] = []
    }

    let bench: CustodyBench
    private let oracle: CustodyOracle
    private let start: State
    private var known: Set<String> = []
    private(set) var findings: [String] = []
    private var ways = CustodyOracle.Ways()

    init(_ beginning: CustodyBench.Beginning) throws {
        bench = try CustodyBench.shared.get()
        oracle = CustodyOracle(bench: bench)
        let truth = try bench.fill(beginning)
        start = State(files: try bench.files(), truth: truth)
        known.insert(try StateDescription(bench, truth).text)
        findings = try oracle.check(truth, &ways)
    }

    /// Runs every sequence up to a depth.
    /// - Parameter share: One of so many verbs is run.
    func explore(to depth: Int, oneOf share: Int = 1, _ part: CampaignPart) throws {
        var states = [start]
        for depth in 1...depth {
            var next: [State] = []
            for state in states {
                for (index, verb) in CustodyVerb.all.enumerated()
                where index.isMultiple(of: share) && part.goesOn() {
                    if let state = try step(verb, from: state, part) { next.append(state) }
                }
            }
            part.count("states of depth \(depth)", next.count)
            states = next
        }
        finish(part)
    }

    /// Runs one sequence of verbs that each change something.
    func walk(_ length: Int, _ generator: inout SplitMix64, _ part: CampaignPart) throws {
        var state = start
        while state.path.count < length, !part.isOver {
            guard let verb = CustodyVerb.all.randomElement(using: &generator) else { return }
            // Known states are walked through, too.
            known = []
            guard let next = try step(verb, from: state, part) else { continue }
            state = next
        }
        finish(part)
    }

    /// Runs verbs while jobs have their first step.
    /// - Parameter share: One of so many pairs is run.
    func pair(oneOf share: Int, _ part: CampaignPart) throws {
        let pairs = CustodyVerb.jobs.flatMap { job in
            CustodyVerb.besides.map { CustodyVerb.beside(job, $0) }
        }
        for (index, pair) in pairs.enumerated()
        where index.isMultiple(of: share) && part.goesOn() {
            known = []
            _ = try step(pair, from: start, part)
        }
        finish(part)
    }

    /// Runs one sequence.
    /// - Returns: What it breaks.
    func run(_ verbs: [CustodyVerb]) throws -> [String] {
        findings = []
        var state = start
        for verb in verbs {
            guard let next = try step(verb, from: state, nil) else { break }
            state = next
        }
        return findings
    }

    private func finish(_ part: CampaignPart) {
        for (way, count) in ways.counts.sorted(by: { $0.key < $1.key }) {
            part.count("by: \(way.replacing(",", with: " and"))", count)
        }
        ways = CustodyOracle.Ways()
    }

    /// - Returns: The state after the verb, if it is new.
    private func step(
        _ verb: CustodyVerb, from state: State, _ part: CampaignPart?
    ) throws -> State? {
        try bench.restore(state.files)
        var truth = state.truth
        do {
            try verb.run(bench, &truth)
        } catch is CustodyVerb.NotNow {
            return nil
        } catch {
            part?.count("refused")
        }
        part?.count("sequences")
        let files = try bench.files()
        if files == state.files, truth == state.truth { return nil }
        let path = state.path + [verb.description]
        guard try known.insert(StateDescription(bench, truth).text).inserted else { return nil }
        var wrong = try oracle.check(truth, &ways)
        if wrong.isEmpty { wrong = try oracle.alarms(truth, CustodyVerb.untouched(by: path)) }
        for wrong in wrong { findings.append("\(path.joined(separator: "; ")): \(wrong)") }
        // What is lost stays lost.
        return wrong.isEmpty ? State(files: files, truth: truth, path: path) : nil
    }
}
