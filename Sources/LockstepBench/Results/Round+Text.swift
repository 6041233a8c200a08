import BenchKit

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
                ratio.map { Figures.ratio($0.ofMedians) } ?? "–", Figures.decimal(Double(series.peakKiB) / 1024, 1),
                series.bytesWritten.map { Figures.decimal($0, 1) } ?? "–", series.syncs.map(Figures.count) ?? "–",
            ])
        }
        return ([heading] + table.lines.map { "  " + $0 }).joined(separator: "\n")
    }
}
