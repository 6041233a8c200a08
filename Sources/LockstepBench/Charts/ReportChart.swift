import BenchKit

/// A report as bars: a group for each round, a bar for each variant of each peer.
struct ReportChart {
    private static let barStart = 250.0
    private static let barEnd = 690.0
    private static let timeEnd = 800.0
    private static let ratioEnd = 930.0
    private static let margin = 20.0
    private static let lineHeight = 20.0

    private var svg = SVG(width: 950)
    /// The baseline of the last line drawn.
    private var y = 12.0

    /// The chart as the content of an SVG file. The same report gives the same text.
    static func draw(_ report: Report) -> String {
        var chart = ReportChart()
        chart.drawHeading(report)
        for round in report.rounds { chart.draw(round) }
        chart.drawFoot(report)
        return chart.svg.document(title: "Lockstep: CPU time of one operation", height: chart.y + margin)
    }

    private mutating func next(_ height: Double = lineHeight) -> Double {
        y += height
        return y
    }

    private mutating func drawHeading(_ report: Report) {
        svg.text("CPU time of one operation; shorter is better", x: Self.margin, y: next(), size: 16, isBold: true)
        svg.text(
            "\(report.machine.text); medians of \(report.repetitions) alternating runs, "
                + "whiskers from the least to the most",
            x: Self.margin, y: next(), .start, .faint)
        let foot = next(22)
        var x = Self.margin
        for (color, name) in [(SVG.Color.own, "Lockstep"), (.encrypted, "encrypted"), (.plain, "not encrypted")] {
            svg.rectangle(x: x, y: foot - 10, width: 12, height: 12, color)
            svg.text(name, x: x + 18, y: foot)
            x += 130
        }
        svg.text("times ours", x: Self.ratioEnd, y: foot, .end, .faint)
    }

    private mutating func draw(_ round: Round) {
        let foot = next(32)
        svg.text(round.heading, x: Self.margin, y: foot, size: 13, isBold: true)
        let longest = round.series.compactMap { Spread($0.cpu)?.most }.max() ?? 0
        for series in round.series { draw(series, in: round, longest: longest) }
    }

    private mutating func draw(_ series: Series, in round: Round, longest: Double) {
        guard let cpu = Spread(series.cpu) else { return }
        let foot = next()
        let middle = foot - 4
        svg.text("\(series.peer) \(series.variant)", x: Self.barStart - 10, y: foot, .end)
        let scale = longest > 0 ? (Self.barEnd - Self.barStart) / longest : 0
        let color: SVG.Color = series.isOwn ? .own : series.isEncrypted ? .encrypted : .plain
        svg.rectangle(
            x: Self.barStart, y: middle - 6, width: cpu.median * scale, height: 12, color)
        let (left, right) = (Self.barStart + cpu.least * scale, Self.barStart + cpu.most * scale)
        svg.line(from: (left, middle), to: (right, middle), .ink)
        for end in [left, right] {
            svg.line(from: (end, middle - 3), to: (end, middle + 3), .ink)
        }
        let unit = round.workload.type.unit
        svg.text("\(unit.text(cpu.median)) \(unit.rawValue)", x: Self.timeEnd, y: foot, .end, isBold: series.isOwn)
        let ratio = round.own.flatMap { Spread.ratio(series.cpu, to: $0.cpu) }
        svg.text(ratio.map { "\(Figures.ratio($0.ofMedians)) ×" } ?? "–", x: Self.ratioEnd, y: foot, .end, .faint)
    }

    private mutating func drawFoot(_ report: Report) {
        _ = next(12)
        for line in report.libraryLines + report.settingsLines {
            svg.text(line, x: Self.margin, y: next(16), size: 11, .start, .faint)
        }
    }
}
