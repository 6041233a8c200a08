import Lockstep

/// A verification's report for programs. Fields are only ever added; fields that do not apply are left out.
struct VerifyResult: Encodable {
    private struct Rows: Encodable {
        let table: String
        let parent: String
        let count: Int
        let rowIDs: [Int64]
    }

    private struct Object: Encodable {
        let type: String
        let name: String
        let change: String
        let details: [String]
        let found: String?
        let expected: String?

        init(_ difference: SchemaSnapshot.Difference) {
            type = difference.type
            name = difference.name
            change = difference.change.rawValue
            details = difference.details
            found = difference.found
            expected = difference.expected
        }
    }

    private struct Finding: Encodable {
        let isFailure: Bool
        let message: String
        let object: Object?
        let pages: [UInt32]?
        let rows: Rows?

        init(_ finding: VerificationReport.Finding) {
            isFailure = finding.isFailure
            message = finding.message
            object = finding.difference.map(Object.init)
            pages = finding.pages.isEmpty ? nil : finding.pages
            rows = finding.rows.map {
                Rows(table: $0.table, parent: $0.parent, count: $0.count, rowIDs: $0.rowIDs)
            }
        }
    }

    private struct Check: Encodable {
        let check: String
        let ok: Bool
        let carriedOut: Bool
        let summary: String
        let findings: [Finding]
        let microseconds: Int64
    }

    private let database: String
    private let ok: Bool
    private let microseconds: Int64
    private let checks: [Check]

    init(_ report: VerificationReport, _ database: String) {
        self.database = database
        ok = report.isClean
        microseconds = report.time.duration.wholeMicroseconds
        checks = report.outcomes.map { outcome in
            Check(
                check: outcome.check.rawValue, ok: !outcome.hasFailed,
                carriedOut: outcome.obstacle == nil, summary: outcome.summary,
                findings: outcome.findings.map(Finding.init),
                microseconds: outcome.duration.wholeMicroseconds)
        }
    }
}
