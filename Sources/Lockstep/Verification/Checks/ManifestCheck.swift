/// What the manifest covers of the database is what its publisher has released.
struct ManifestCheck: Sendable {
    /// Who must have signed it; nil where nobody said.
    let publisher: Publisher?
    /// Of which dataset; nil for all.
    let dataset: [UInt8]?

    /// Whether there is anything to say of it.
    func isDue(_ connection: borrowing Connection) -> Bool {
        if publisher != nil { return true }
        // Where that cannot be read, other checks tell why.
        return (try? EngineTables.exists(EngineTables.manifests, connection)) ?? false
    }

    func run(_ connection: borrowing Connection) throws -> CheckResult {
        guard let publisher else {
            return (
                "not held to anybody's key",
                [
                    .notice(
                        "the database carries a manifest, which proves something once its publisher's key is "
                            + "given: `lockstep verify --publisher KEY`")
                ]
            )
        }
        let report = try Manifest.check(connection, publisher: publisher, dataset: dataset)
        let releases = report.outcomes.compactMap(\.manifest).map {
            "release \($0.number) of \($0.day), \(counted($0.tables.count, "table"))"
                + ($0.definitionCount == nil ? "" : " and the schema")
        }
        let notices = report.outcomes.compactMap(\.notice).map {
            VerificationReport.Finding.notice($0)
        }
        return (
            releases.isEmpty ? "no release" : releases.joined(separator: "; "),
            report.findings.map { .failure("\($0)") } + notices
        )
    }
}
