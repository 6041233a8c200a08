import BenchKit

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Growth as curves over a logarithmic axis of rows: for each workload its CPU time, memory, and bytes written.
struct GrowthChart {
    private static let margin = 20.0
    private static let panel = (width: 240.0, height: 110.0, distance: 310.0)

    /// A figure of the points, shown in one panel.
    private struct Figure: Sendable {
        let name: String
        let median: @Sendable (Growth.Point) -> Double?
        var spread: @Sendable (Growth.Point) -> Spread? = { _ in nil }
    }

    private static let figures = [
        Figure(
            name: "CPU µs", median: { $0.cpu.median / 1000 },
            spread: { Spread([$0.cpu.least / 1000, $0.cpu.most / 1000]) }),
        Figure(name: "peak MiB", median: { Double($0.peakKiB) / 1024 }),
        Figure(name: "bytes written", median: { $0.bytesWritten }),
    ]

    private var svg = SVG(width: 950)
    private let rows: [Int]

    private init(_ growth: Growth) { rows = Set(growth.points.map(\.rows)).sorted() }

    /// The chart as the content of an SVG file. The same figures give the same text.
    static func draw(_ growth: Growth) -> String {
        var chart = GrowthChart(growth)
        var y = 32.0
        chart.svg.text(
            "Lockstep as tables grow: for each row, or each row read by key", x: margin, y: y, size: 16, isBold: true)
        let libraries = growth.libraries.values.sorted()
        let notes = ["\(growth.machine.text); medians of \(growth.repetitions) runs"] + libraries
        for note in notes {
            y += 18
            chart.svg.text(note, x: margin, y: y, .start, .faint)
        }
        for workload in Growth.workloads {
            let points = growth.points.filter { $0.workload == workload }
            guard let first = points.first else { continue }
            y += 36
            chart.svg.text("\(workload.rawValue), \(first.variant)", x: margin, y: y, size: 13, isBold: true)
            for (index, figure) in figures.enumerated() {
                chart.draw(
                    figure, of: points,
                    x: margin + 50 + Double(index) * panel.distance, top: y + 20)
            }
            y += 20 + panel.height + 24
        }
        return chart.svg.document(title: "Lockstep as tables grow", height: y + margin)
    }

    private mutating func draw(_ figure: Figure, of points: [Growth.Point], x left: Double, top: Double) {
        let (width, height) = (Self.panel.width, Self.panel.height)
        let bottom = top + height
        svg.text(figure.name, x: left, y: top - 6, size: 11, .start, .faint)
        svg.line(from: (left, top), to: (left, bottom), .grid)
        svg.line(from: (left, bottom), to: (left + width, bottom), .grid)
        for count in rows {
            let x = left + position(count) * width
            svg.line(from: (x, bottom), to: (x, bottom + 4), .grid)
            svg.text(Self.short(count), x: x, y: bottom + 16, size: 11, .middle, .faint)
        }
        let most = points.compactMap { figure.spread($0)?.most ?? figure.median($0) }.max()
        svg.text("0", x: left - 6, y: bottom, size: 11, .end, .faint)
        guard let most else {
            return svg.text("not measured", x: left + width / 2, y: top + height / 2, .middle, .faint)
        }
        // The foot of an empty axis already shows its end.
        if most > 0 {
            let text = most < 0.01 ? "<0.01" : Figures.decimal(most, 2)
            svg.text(text, x: left - 6, y: top + 6, size: 11, .end, .faint)
        }
        func foot(_ value: Double) -> Double { bottom - (most > 0 ? value / most * height : 0) }
        var before: (x: Double, y: Double)?
        for point in points {
            guard let value = figure.median(point) else { continue }
            let place = (x: left + position(point.rows) * width, y: foot(value))
            if let spread = figure.spread(point) {
                svg.line(from: (place.x, foot(spread.least)), to: (place.x, foot(spread.most)), .ink)
            }
            if let before { svg.line(from: before, to: place, .own, width: 2) }
            svg.dot(x: place.x, y: place.y, radius: 3.5, .own)
            before = place
        }
    }

    /// The position of a number of rows between the fewest and the most, by their logarithms: from 0 to 1.
    private func position(_ count: Int) -> Double {
        guard let first = rows.first, let last = rows.last, first < last else { return 0.5 }
        return log(Double(count) / Double(first)) / log(Double(last) / Double(first))
    }

    /// A number of rows as an axis shows it, such as `10k` or `1.5M`.
    static func short(_ count: Int) -> String {
        for (unit, name) in [(1_000_000, "M"), (1000, "k")] where count >= unit {
            let text = Figures.decimal(Double(count) / Double(unit), 1)
            return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + name
        }
        return String(count)
    }
}
