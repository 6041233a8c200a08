/// The schema is what a fresh run of the same migrations makes, object by object.
enum DriftCheck {
    static func run(
        _ connection: borrowing Connection, _ sets: [MigrationSet]
    ) throws -> (summary: String, findings: [VerificationReport.Finding]) {
        let ledger = try Ledger.entries(connection)
        let fresh = try Connection.inMemory()
        for entry in ledger {
            guard let set = sets.first(where: { $0.name == entry.set }) else {
                return (
                    "could not be carried out",
                    [.failure("the files of the set \(entry.set) are needed to build it afresh")]
                )
            }
            // One at a time and in the order of the ledger: sets may build on each other.
            guard let file = set.files.first(where: { $0.version == entry.version }) else {
                return (
                    "could not be carried out",
                    [.failure("the file of \(entry.set) \(entry.version) is gone")]
                )
            }
            _ = try Migrator(set).run(.version(file.version), on: fresh)
        }
        let differences = try SchemaSnapshot(connection).differences(from: SchemaSnapshot(fresh))
        let findings = differences.map { difference in
            let details = difference.details.map { "; \($0)" }.joined()
            return VerificationReport.Finding.failure(
                "\(difference.type) \(difference.name) is \(difference.change.rawValue)\(details)")
        }
        return ("compared with a fresh build", findings)
    }
}
