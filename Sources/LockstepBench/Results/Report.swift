import BenchKit

/// All measurements, the machine, and the conclusions. Tests/Peers/REPORT.md is its contract.
struct Report: Codable, Sendable {
    let machine: Machine
    let repetitions: Int
    /// Every peer that took part, with the versions of its libraries.
    let libraries: [String: String]
    let rounds: [Round]
    let goals: [Verdict]
    /// The other build of Lockstep that took part, by its name among the peers.
    var reference: String?
    /// The change since that build; nil if there was none.
    var changes: [Change]?

    init(
        _ rounds: [Round], repetitions: Int, reference: String? = nil, machine: Machine = .current
    ) {
        self.machine = machine
        self.repetitions = repetitions
        self.rounds = rounds
        libraries = Self.libraries(of: rounds)
        goals = Goal.verdicts(rounds)
        self.reference = reference
        changes = reference.map { name in rounds.flatMap { Change.all(in: $0, since: name) } }
    }

    /// The versions of each peer's libraries.
    static func libraries(of rounds: [Round]) -> [String: String] {
        var libraries: [String: String] = [:]
        for series in rounds.flatMap(\.series) {
            if let outcome = series.outcomes.first { libraries[series.peer] = outcome.library }
        }
        return libraries
    }

    /// For people.
    var text: String {
        var parts = [heading]
        parts += rounds.map(\.text)
        if let changes, let reference { parts.append(Change.text(changes, since: reference)) }
        let shown = goals.filter { reference == nil || $0.state != .notMeasured }
        if !shown.isEmpty { parts.append(Verdict.text(shown)) }
        return parts.joined(separator: "\n\n")
    }

    private var heading: String {
        var lines = [
            "\(machine.text); medians of \(repetitions) alternating runs, times and bytes written per operation, syncs per run; * is encrypted"
        ]
        lines += (libraryLines + settingsLines).map { "  " + $0 }
        return lines.joined(separator: "\n")
    }

    /// Each peer and the versions of its libraries, by name.
    var libraryLines: [String] {
        libraries.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    }

    /// The settings that all of them ran under.
    var settingsLines: [String] {
        guard let round = rounds.first else { return [] }
        return [
            "pages of 4096 bytes, \(Figures.count(round.cacheBytes / 1024)) KiB of cache for " + "each connection, WAL"
        ]
    }
}
