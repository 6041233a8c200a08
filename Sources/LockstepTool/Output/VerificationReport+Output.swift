import Lockstep

extension VerificationReport {
    /// The report for programs. Fields are only ever added; fields that do not apply are left out.
    func json(_ database: String) -> JSONObject {
        let checks = outcomes.map { outcome in
            [
                "check": outcome.check.rawValue, "ok": !outcome.hasFailed, "carriedOut": outcome.isCarriedOut,
                "summary": outcome.summary, "findings": outcome.findings.map(\.json),
                "microseconds": outcome.duration.wholeMicroseconds,
            ] as JSONObject
        }
        return [
            "database": database, "ok": isClean,
            "microseconds": time.duration.wholeMicroseconds, "checks": checks,
        ]
    }
}

extension VerificationReport.Finding {
    fileprivate var json: JSONObject {
        let rows = rows.map {
            [
                "table": $0.table, "parent": $0.parent, "count": $0.count, "rowIDs": $0.rowIDs,
            ] as JSONObject
        }
        return [
            "isFailure": isFailure, "message": advice.typed, "object": difference?.json,
            "pages": pages.isEmpty ? nil : pages, "rows": rows,
        ]
    }
}

extension SchemaSnapshot.Difference {
    fileprivate var json: JSONObject {
        [
            "type": type, "name": name, "change": change.rawValue, "details": details,
            "found": found, "expected": expected,
        ]
    }
}
