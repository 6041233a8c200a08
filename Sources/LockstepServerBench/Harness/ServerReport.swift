import BenchKit

/// The figures of all contests.
struct ServerReport: Codable, Sendable {
    let machine: Machine
    let server: String
    let rows: Int
    let repetitions: Int
    let contests: [Contest]

    /// For people.
    var text: String {
        let heading =
            "\(machine.text)\n  \(server), \(Figures.count(rows)) rows, medians of \(repetitions) runs in turns"
        return ([heading] + contests.map(\.text)).joined(separator: "\n\n")
    }
}

extension Contest {
    private var unit: (name: String, factor: Double) {
        operations == 1 ? ("s", 1) : ("µs", 1_000_000 / Double(operations))
    }

    var text: String {
        var table = Table(words: [0])
        table.rows.append(["program", "wall \(unit.name)", "least–most", "CPU \(unit.name)", "peak MiB"])
        for entry in entries {
            guard let wall = Spread(entry.samples.map(\.wall)) else { continue }
            table.rows.append([
                entry.name, shown(wall.median), "\(shown(wall.least))–\(shown(wall.most))",
                Spread(entry.samples.compactMap(\.cpu)).map { shown($0.median) } ?? "–",
                entry.samples.compactMap(\.peakKiB).max().map {
                    Figures.decimal(Double($0) / 1024, 1)
                } ?? "–",
            ])
            for part in Set(entry.samples.flatMap(\.parts.keys)).sorted() {
                guard let spread = Spread(entry.samples.compactMap { $0.parts[part] }) else {
                    continue
                }
                table.rows.append([
                    "  \(part)", shown(spread.median), "\(shown(spread.least))–\(shown(spread.most))", "", "",
                ])
            }
        }
        var lines = ["\(name.rawValue): \(Figures.count(operations)) operations"]
        lines += table.lines.map { "  " + $0 } + missing.map { "  left out: \($0)" }
        return (lines + goals.map { "  \(verdict($0))" }).joined(separator: "\n")
    }

    private func shown(_ seconds: Double) -> String {
        Figures.decimal(seconds * unit.factor, unit.factor == 1 ? 3 : 2)
    }

    private func verdict(_ goal: ServerGoal) -> String {
        guard let measured = goal.measure(entries) else { return "\(goal.text): not measured" }
        let state = measured.ofMedians <= goal.limit ? "holds" : "missed"
        return "\(goal.text): \(measured.text), \(state)"
    }
}
