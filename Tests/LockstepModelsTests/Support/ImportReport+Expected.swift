@testable import LockstepModels

extension ImportReport {
    /// So many imported, and nothing left out.
    static func of(_ imported: Int) -> ImportReport {
        var report = ImportReport()
        report.imported = imported
        return report
    }
}
