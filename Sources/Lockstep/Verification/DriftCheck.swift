/// The schema is what a fresh run of the same migrations makes, object by object.
enum DriftCheck {
    static func run(
        _ connection: borrowing Connection, _ sets: [MigrationSet], _ schema: ConnectionOptions,
        goOn: () -> Bool = { true }
    ) throws -> CheckResult {
        let history = try Ledger.history(connection)
        let fresh = try FreshBuild.run(history, sets, schema, goOn: goOn)
        let found = try SchemaSnapshot(connection)
        let differences = found.differences(from: try SchemaSnapshot(fresh))
        return (
            "\(counted(found.count, "object")) compared with a fresh build",
            differences.map(finding)
        )
    }

    static func finding(_ difference: SchemaSnapshot.Difference) -> VerificationReport.Finding {
        var finding = VerificationReport.Finding.failure(
            "\(difference.type) \(difference.name) is \(difference.change.rawValue)")
        finding.difference = difference
        return finding
    }
}
