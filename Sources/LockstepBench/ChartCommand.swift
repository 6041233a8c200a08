import BenchKit
import ArgumentParser
import FoundationEssentials

/// `lockstep-bench chart`: draws a saved report.
struct ChartCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chart", abstract: "Draw what `compare` or `growth` wrote with `--format json`.",
        discussion: """
            The picture is one self-contained SVG file. Unknown fields of the report \
            are ignored.
            """)

    @Argument(help: "The file with the JSON; - for standard input.")
    var report: String

    @Argument(help: "The picture's file, which ends in .svg.")
    var chart: String

    func run() throws {
        let file = try ChartFile(chart)
        try file.write(try draw())
    }

    private func draw() throws -> String {
        let path = report == "-" ? "/dev/stdin" : report
        guard let content = FileManager.default.contents(atPath: path) else {
            throw BenchError("\(report) cannot be read", hint: "name the file that --format json wrote")
        }
        do {
            // Only reports of growth have points.
            let isGrowth = try JSONDecoder().decode(Shape.self, from: content).points != nil
            return isGrowth
                ? GrowthChart.draw(try JSONDecoder().decode(Growth.self, from: content))
                : ReportChart.draw(try JSONDecoder().decode(Report.self, from: content))
        } catch {
            throw BenchError(
                "\(report) is not a report: \(BenchError.reason(error))",
                hint: "it must be the one line that --format json wrote")
        }
    }

    /// The field that distinguishes the two kinds of reports.
    private struct Shape: Decodable {
        struct Point: Decodable {}

        let points: [Point]?
    }
}
