/// Columns of text, as wide as they need to be.
struct Table {
    /// The columns that contain words; numbers are right-aligned.
    var words: Set<Int> = [0, 1]
    var rows: [[String]] = []

    /// The lines, without spaces at their ends.
    var lines: [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, text in
                let space = String(repeating: " ", count: widths[column] - text.count)
                return words.contains(column) ? text + space : space + text
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}

extension Round {
    /// The workload and its conditions.
    var heading: String {
        var heading = "\(workload.rawValue): \(Figures.count(operations)) operations"
        if let group { heading += ", \(group)" }
        if workload.type.showsRows { heading += ", \(Figures.count(rows)) rows" }
        if workload.type.hasDatabase { heading += ", synchronous \(synchronous.rawValue)" }
        return heading
    }

    /// A heading, and a line for each series.
    var text: String {
        let unit = workload.type.unit
        let time = unit.text
        var table = Table()
        table.rows.append([
            "peer", "variant", "CPU \(unit.rawValue)", "least–most", "wall \(unit.rawValue)",
            "ours/peer", "peak MiB", "written", "syncs",
        ])
        for series in series {
            guard let cpu = Spread(series.cpu), let wall = Spread(series.wall) else { continue }
            let ratio = own.flatMap { Spread.ratio($0.cpu, to: series.cpu) }
            table.rows.append([
                series.peer + (series.isEncrypted ? " *" : ""), series.variant,
                time(cpu.median), "\(time(cpu.least))–\(time(cpu.most))", time(wall.median),
                ratio.map { Figures.ratio($0.ofMedians) } ?? "–",
                Figures.decimal(Double(series.peakKiB) / 1024, 1),
                series.bytesWritten.map { Figures.decimal($0, 1) } ?? "–",
                series.syncs.map(Figures.count) ?? "–",
            ])
        }
        return ([heading] + table.lines.map { "  " + $0 }).joined(separator: "\n")
    }
}

extension [String] {
    /// The words in a sentence, with another before the last: `a, b or c`.
    func listed(before word: String) -> String {
        guard let last, count > 1 else { return first ?? "" }
        return "\(dropLast().joined(separator: ", ")) \(word) \(last)"
    }
}
