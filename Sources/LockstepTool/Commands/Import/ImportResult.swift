import Lockstep
import LockstepModels

/// The report of an import.
enum ImportResult {
    /// - Parameters:
    ///   - source: The file or folder, as the user named it.
    ///   - kind: The imported entries, such as `films`.
    ///   - unit: The rejected parts of the source, such as `lines`.
    static func show(
        _ report: ImportReport, of source: String, _ kind: String, unit: String,
        _ output: FormatOptions
    ) throws {
        guard output.format == .text else {
            let rejections = report.rejections.map {
                ["file": $0.file, "line": $0.line, "reason": $0.reason] as JSONObject
            }
            try Output.json(
                ["imported": report.imported, "rejected": report.rejected, "rejections": rejections] as JSONObject)
            return try requireSomething(report, source, kind)
        }
        Output.line(
            "imported \(Output.amount(report.imported, of: kind)), "
                + "left out \(Output.amount(report.rejected, of: unit))")
        for rejection in report.rejections {
            let file = rejection.file.map { "\(source)/\($0)" } ?? source
            let line = rejection.line.map { ":\($0)" } ?? ""
            Output.note("\(file)\(line): left out: \(rejection.reason)")
        }
        if report.rejected > report.rejections.count {
            let more = report.rejected - report.rejections.count
            Output.note("and \(Output.amount(more, of: unit)) more")
        }
        try requireSomething(report, source, kind)
    }

    /// A source whose every entry is rejected is most likely the wrong file. An empty source is not an error.
    private static func requireSomething(
        _ report: ImportReport, _ source: String, _ kind: String
    ) throws(LockstepError) {
        guard report.tookNothing else { return }
        throw LockstepError(
            .malformedInput, "there are no \(kind) in \(source), and nothing was imported",
            hint: "check that this is the right file; `lockstep help import` shows what can be read")
    }
}
