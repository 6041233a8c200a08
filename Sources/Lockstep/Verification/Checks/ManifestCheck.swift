extension VerificationReport.Check {
    /// The content that the manifest covers is what its publisher has released.
    public static let manifest = Self("manifest", failure: .tampered) { job in
        let check = ManifestCheck(publisher: job.verification.publisher, dataset: job.verification.dataset)
        return .onConnection(.init(isFound: check.publisher == nil ? ManifestCheck.isFound : nil, run: check.run))
    }
}

/// The content that the manifest covers is what its publisher has released.
package struct ManifestCheck: Sendable {
    /// The publisher that must have signed it; nil if none was given.
    let publisher: Publisher?
    /// The dataset to check; nil for all.
    let dataset: [UInt8]?

    /// Whether the database has a manifest.
    static func isFound(_ connection: borrowing Connection) -> Bool {
        // If that cannot be read, other checks report why.
        (try? EngineTables.exists(EngineTables.manifests, connection)) ?? false
    }

    func run(_ connection: borrowing Connection) throws -> CheckResult {
        try connection.read { connection in try Self.run(publisher, dataset, connection) }
    }

    /// The same on every engine, in the open snapshot of a database that has a manifest, or must have one.
    package static func run(
        _ publisher: Publisher?, _ dataset: [UInt8]? = nil, _ database: borrowing some ReleasedDatabase & ~Copyable,
        _ progress: JobProgress.Handler = { _ in }
    ) throws -> CheckResult {
        guard let publisher else {
            return (
                "not checked against a publisher's key",
                [
                    .notice(
                        advice: """
                            the database has a manifest, which proves nothing without its publisher's key: \
                            \(.verifyForPublisher)
                            """)
                ]
            )
        }
        let report = try ReleaseComparison(publisher: publisher).run(dataset, database, progress)
        let releases = report.outcomes.compactMap { outcome in
            outcome.manifest.map {
                "release \($0.number) of \($0.day), \(counted($0.tables.count, "table"))"
                    + (outcome.compared?.definitionCount == nil ? "" : " and the schema")
            }
        }
        let notices = report.outcomes.compactMap(\.advice).map {
            VerificationReport.Finding.notice(advice: $0)
        }
        return (
            releases.isEmpty ? "no release" : releases.joined(separator: "; "),
            report.findings.map { .failure("\($0)") } + notices
        )
    }
}
