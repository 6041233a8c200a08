import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Sealed tables answer every form of query as plaintext ones do")
struct TwinOracleTests {
    private static let campaign = Campaign("TwinOracleTests")
    private static let schemas = Torture.isLong ? 500 : 6
    private static let conditions = Torture.isLong ? 60 : 25

    @Test("random conditions over random tables: TLP, NoREC and a plaintext twin")
    func campaign() throws {
        guard let part = Self.campaign.begin() else { return }
        defer { part.end() }
        var comparisons = 0
        for number in 0..<Self.schemas where part.goesOn() {
            var oracle = try TwinOracle(seed: Torture.campaignSeed &+ UInt64(number))
            try oracle.run(conditions: Self.conditions)
            #expect(oracle.differences == [], "schema \(number)")
            comparisons += oracle.comparisons
        }
        part.count("comparisons", comparisons)
        guard part.isComplete(for: "the comparisons") else { return }
        // Conditions that fail compare nothing; most must succeed.
        #expect(comparisons > Self.schemas * Self.conditions * 5)
    }

    @Test("the twin detects a wrong answer")
    func plantedAnswer() throws {
        var oracle = try TwinOracle(seed: 1)
        try oracle.check("a.c0 IS NOT NULL OR a.c0 IS NULL")
        #expect(oracle.differences == [])
        try oracle.plant()
        try oracle.check("a.c0 IS NOT NULL OR a.c0 IS NULL")
        #expect(oracle.differences.contains { $0.hasPrefix("twin: ") })
    }

    @Test("TLP and NoREC detect a condition that changes its result")
    func plantedCondition() throws {
        var oracle = try TwinOracle(seed: 2)
        try oracle.check("abs(random() % 2)")
        #expect(oracle.differences.contains { $0.hasPrefix("TLP: ") })
        #expect(oracle.differences.contains { $0.hasPrefix("NoREC: ") })
    }
}
