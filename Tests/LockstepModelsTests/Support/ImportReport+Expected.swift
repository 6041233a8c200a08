@testable import LockstepModels

extension ImportReport {
    /// The given number imported, and nothing rejected.
    static func of(_ imported: Int) -> ImportReport {
        var report = ImportReport()
        report.imported = imported
        return report
    }
}
