import Lockstep
import TestServers
import TestSupport
import Testing

@testable import LockstepPostgres

/// Statements of a grammar with look-ups anywhere, on a table with sealed columns and on its twin in plaintext: the same rows,
/// or a refusal. The tokens have few bits, so that every look-up finds rows that only share one.
@Suite("Look-ups in sealed columns against a twin in plaintext", .withServer)
struct LookupGrammarTests {
    private static let campaign = Campaign("LookupGrammarTests")

    @Test("A statement finds what its twin finds, or is refused")
    func twins() throws {
        guard let part = Self.campaign.begin() else { return }
        defer { part.end() }
        let bench = try LookupBench()
        var random = SplitMix64(state: Torture.campaignSeed)
        var done = 0
        while part.goesOn(after: done, of: 400), bench.findings.count < 5 {
            try bench.compare(LookupStatement(&random), isFiltered: true)
            done += 1
        }
        part.count("equal", bench.equal)
        part.count("refused", bench.refused)
        for finding in bench.findings { Issue.record("\(finding)") }
        if done >= 400 { #expect(bench.equal > done / 8 && bench.refused > done / 8) }
    }

    @Test("Control: with the tokens alone other rows are found") func control() throws {
        let bench = try LookupBench()
        var random = SplitMix64(state: 3)
        for _ in 0..<200 where bench.findings.isEmpty {
            try bench.compare(LookupStatement(&random), isFiltered: false)
        }
        #expect(!bench.findings.isEmpty)
    }
}
