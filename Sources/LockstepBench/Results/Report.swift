import FoundationEssentials

/// All that was measured, where, and what it shows.
struct Report: Codable, Sendable {
    let machine: Machine
    let repetitions: Int
    /// Every peer that took part, with the versions of its libraries.
    let libraries: [String: String]
    let rounds: [Round]
    let goals: [Verdict]

    init(_ rounds: [Round], repetitions: Int, machine: Machine = .current) {
        self.machine = machine
        self.repetitions = repetitions
        self.rounds = rounds
        var libraries: [String: String] = [:]
        for series in rounds.flatMap(\.series) {
            if let outcome = series.outcomes.first { libraries[series.peer] = outcome.library }
        }
        self.libraries = libraries
        goals = Goal.all.flatMap { $0.verdicts(rounds) }
    }

    /// For people.
    var text: String {
        var parts = [heading]
        parts += rounds.map(\.text)
        if !goals.isEmpty { parts.append(goalText) }
        return parts.joined(separator: "\n\n")
    }

    private var heading: String {
        var lines = [
            "\(machine.text); medians of \(repetitions) alternating runs, times of one operation"
        ]
        lines += libraries.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }
        if let round = rounds.first {
            lines.append(
                "  pages of 4096 bytes, \(Figures.count(round.cacheBytes / 1024)) KiB of cache for "
                    + "each connection, WAL; * is encrypted")
        }
        return lines.joined(separator: "\n")
    }

    private var goalText: String {
        var table = Table(words: [0, 1, 2, 3])
        for verdict in goals {
            var shown = "–"
            if let measured = verdict.measured {
                shown =
                    "\(Figures.ratio(measured.ofMedians)) (\(Figures.ratio(measured.least))–"
                    + "\(Figures.ratio(measured.most)))"
                if let against = verdict.against { shown += " to \(against)" }
            }
            table.rows.append([verdict.workload, verdict.goal, shown, verdict.state.rawValue])
        }
        return (["goals"] + table.lines.map { "  " + $0 }).joined(separator: "\n")
    }
}

/// What the figures were measured on.
struct Machine: Codable, Hashable, Sendable {
    let system: String
    let processor: String
    let cores: Int

    var text: String { "\(processor), \(cores) cores, \(system)" }

    /// This one.
    static var current: Machine {
        let process = ProcessInfo.processInfo
        let information = FileManager.default.contents(atPath: "/proc/cpuinfo") ?? Data()
        let model = String(decoding: information, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix("model name") }?
            .split(separator: ":").last.map { $0.drop { $0 == " " } }
        return Machine(
            system: process.operatingSystemVersionString,
            processor: model.map(String.init) ?? "unknown processor",
            cores: process.activeProcessorCount)
    }
}
