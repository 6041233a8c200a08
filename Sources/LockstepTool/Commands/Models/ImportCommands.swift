import ArgumentParser
import LockstepModels

/// `lockstep import`: files that people have, into the model stores.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import files into one of the model stores.",
        subcommands: [Contacts.self, Microblog.self, Movies.self, Notes.self, Photos.self])
}

/// How an import is told.
struct ImportResult: Encodable {
    private struct Rejection: Encodable {
        let file: String?
        let line: Int?
        let reason: String
    }

    private let imported: Int
    private let rejected: Int
    private let rejections: [Rejection]

    private init(_ report: ImportReport) {
        imported = report.imported
        rejected = report.rejected
        rejections = report.rejections.map {
            Rejection(file: $0.file, line: $0.line, reason: $0.reason)
        }
    }

    /// - Parameters:
    ///   - source: What was imported, as the user named it.
    ///   - kind: What was imported, such as `films`.
    ///   - unit: What is left out, such as `lines`.
    static func tell(
        _ report: ImportReport, of source: String, _ kind: String, unit: String = "lines",
        _ output: FormatOptions
    ) throws {
        guard output.format == .text else { return try Output.json(ImportResult(report)) }
        Output.line("imported \(report.imported) \(kind), left out \(report.rejected) \(unit)")
        for rejection in report.rejections {
            let file = rejection.file.map { "\(source)/\($0)" } ?? source
            let line = rejection.line.map { ":\($0)" } ?? ""
            Output.note("\(file)\(line): left out: \(rejection.reason)")
        }
        if report.rejected > report.rejections.count {
            Output.note("and \(report.rejected - report.rejections.count) \(unit) more")
        }
    }
}
