internal import Lockstep

/// Nothing is left of a copy or a transaction that has not ended.
enum OrphansCheck {
    static func run(
        _ schema: String, _ connection: borrowing ServerConnection
    ) throws -> CheckResult {
        var findings: [VerificationReport.Finding] = []
        if try CopyState(schema: schema).read(connection) != nil {
            findings.append(
                .failure("a copy to the schema is not finished: run the copy again"))
        }
        let prepared = try connection.query(
            """
            SELECT gid FROM pg_catalog.pg_prepared_xacts
            WHERE database OPERATOR(pg_catalog.=) pg_catalog.current_database() ORDER BY prepared
            """
        ) { try $0[0] as String }
        findings += prepared.map {
            .failure("the prepared transaction \($0) holds its locks until somebody ends it")
        }
        return (findings.isEmpty ? "none" : counted(findings.count, "orphan"), findings)
    }
}
