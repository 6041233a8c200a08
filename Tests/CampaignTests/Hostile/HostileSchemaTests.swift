import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A program with the keys works on files whose schema the operator wrote. Its plaintext, its tokens, and cells that
/// the operator wants sealed must never be stored where the file's SQL can read them.
///
/// The long form runs 20,000 schemas.
@Suite("Hostile schemas")
struct HostileSchemaTests {
    private static let count = Torture.isLong ? 20_000 : 300

    @Test("no schema brings plaintext, tokens or new cells within reach of its SQL")
    func campaign() throws {
        let campaign = try HostileSchemaCampaign()
        guard let part = Campaign("HostileSchemaTests", seed: campaign.seed).begin() else { return }
        defer { part.end() }
        var counts = HostileSchemaCampaign.Counts()
        for number in 0..<Self.count where part.goesOn() {
            let outcome = try campaign.run(number)
            counts.add(outcome)
            if outcome.violations.isEmpty { continue }
            let statements = outcome.schema.parts.flatMap(\.statements).joined(separator: ";\n")
            Issue.record(
                "seed \(campaign.seed), schema \(number), \(outcome.refusals): \(outcome.violations.joined(separator: "\n"))\n\(statements)"
            )
        }
        print(counts.description)
        part.count("not opened", counts.unopened)
        part.count("shapes", counts.shapes.count)
        guard part.isComplete(for: "the shapes") else { return }
        // The campaign reached its subject.
        #expect(counts.unopened < counts.schemas / 4 * 3)
        #expect(counts.shapes.count == HostileShape.allCases.count)
    }

    @Test(
        "the campaign detects defaults in generated SQL, and functions without a capability",
        arguments: [HostileVictim.Kind.pasted, .unchecked])
    func control(kind: HostileVictim.Kind) throws {
        let campaign = try HostileSchemaCampaign()
        let found = try #require(
            try campaign.firstViolation(kind, most: kind == .pasted ? 100 : 400),
            "nothing was seen in so many schemas of seed \(campaign.seed)")
        print("\(kind) is seen at schema \(found.number): \(found.what.first ?? "")")
    }
}
