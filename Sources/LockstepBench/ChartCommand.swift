import ArgumentParser
import FoundationEssentials

/// `lockstep-bench chart`: a report that was kept, as a picture.
struct ChartCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chart",
        abstract: "Draw what `compare` or `growth` wrote with `--format json`.",
        discussion: """
            The picture is one SVG file that needs nothing else. Fields of the report that are not known \
            here are passed over.
            """)

    @Argument(help: "The file with the JSON; - for standard input.")
    var report: String

    @Argument(help: "The file of the picture, which ends in .svg.")
    var chart: String

    func run() throws {
        let file = try ChartFile(chart)
        try file.write(try draw())
    }

    private func draw() throws -> String {
        let path = report == "-" ? "/dev/stdin" : report
        guard let content = FileManager.default.contents(atPath: path) else {
            throw BenchError(
                "\(report) cannot be read", hint: "name the file that --format json wrote")
        }
        do {
            // Only figures of growth have points.
            let isGrowth = try JSONDecoder().decode(Shape.self, from: content).points != nil
            return isGrowth
                ? GrowthChart.draw(try JSONDecoder().decode(Growth.self, from: content))
                : ReportChart.draw(try JSONDecoder().decode(Report.self, from: content))
        } catch {
            throw BenchError(
                "\(report) holds no report: \(BenchError.reason(error))",
                hint: "it must be the one line that --format json wrote")
        }
    }

    /// What tells the two kinds of reports apart.
    private struct Shape: Decodable {
        struct Point: Decodable {}

        let points: [Point]?
    }
}
