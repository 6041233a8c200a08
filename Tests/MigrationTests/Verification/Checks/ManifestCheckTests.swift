import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What `verify` reports about a release.
struct ManifestCheckTests {
    let bench: ReleaseWorkbench

    init() throws { bench = try ReleaseWorkbench() }

    private func report(
        _ publisher: Publisher?, dataset: [UInt8]? = nil
    ) throws -> VerificationReport {
        var verification = Verification(bench.films.path, sets: [])
        verification.publisher = publisher
        verification.dataset = dataset
        return try verification.run(key: bench.films.databaseKey())
    }

    private func outcome(
        _ publisher: Publisher?, dataset: [UInt8]? = nil
    ) throws -> VerificationReport.Outcome? {
        try report(publisher, dataset: dataset).outcomes.first { $0.check == .manifest }
    }

    @Test("where there is no manifest and none is requested, there is nothing to report")
    func none() throws {
        #expect(try !report(nil).outcomes.contains { $0.check == .manifest })
    }

    @Test("a manifest that is not checked against a key is a notice; a missing required one fails")
    func unpinned() throws {
        #expect(try outcome(bench.pinned)?.hasFailed == true)
        try bench.release()
        let found = try #require(try outcome(nil))
        #expect(!found.hasFailed && found.findings.count == 1)
    }

    @Test("a valid release passes, in its place among the checks; an invalid one fails") func pinned() throws {
        try bench.release(4)
        let report = try report(bench.pinned, dataset: CellWorkbench.dataset)
        let found = try #require(report.outcomes.first { $0.check == .manifest })
        #expect(found.summary == "release 4 of 2026-11-22, 1 table and the schema")
        #expect(found.findings == [] && found.obstacle == nil)
        let order = report.outcomes.map(\.check)
        #expect(order == VerificationReport.Check.allCases.filter(order.contains))
        let stranger = try Rings.make(.fields).publisher()
        #expect(try outcome(stranger)?.hasFailed == true)
        let other = [UInt8](repeating: 3, count: 16)
        #expect(try outcome(bench.pinned, dataset: other)?.hasFailed == true)
        try bench.sabotage("DELETE FROM film WHERE id = 1", restoring: true)
        let failed = try #require(try outcome(bench.pinned))
        #expect(failed.findings.map(\.message) == ["film lacks 1 row of the release"])
        #expect(failed.hasFailed && failed.obstacle == nil)
    }

    @Test("a release of version 1 passes, with a notice")
    func first() throws {
        try bench.release(4, .first)
        let found = try #require(try outcome(bench.pinned))
        #expect(!found.hasFailed && found.summary == "release 4 of 2026-11-22, 1 table")
        #expect(found.findings.count == 1)
        #expect(found.findings.first?.message.contains("version 1") == true)
    }

    @Test("where it cannot be read, the check fails, and the other checks run")
    func hindered() throws {
        try bench.release()
        try bench.sabotage("DROP TABLE lockstep_manifest; CREATE TABLE lockstep_manifest (other)")
        let report = try report(bench.pinned)
        let found = try #require(report.outcomes.first { $0.check == .manifest })
        #expect(found.hasFailed && found.obstacle?.code == .sqlFailed)
        #expect(report.outcomes.contains { $0.check == .integrity && !$0.hasFailed })
    }
}
