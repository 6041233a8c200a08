import Testing

@testable import Lockstep

struct BlindIndexPlannerTests {
    private func planner(
        _ type: CellTag = .text, _ normaliser: Normaliser = .exact, rows: Int,
        distinct: Int? = nil, others: [BlindIndexPlanner.Other] = []
    ) throws -> BlindIndexPlanner {
        try BlindIndexPlanner(
            [.init(type, normaliser)], rows: rows, distinct: distinct, others: others)
    }

    @Test(
        "the bounds are CipherSweet's: at least 2 coincidences, and fewer than the root of the rows"
    )
    func bounds() throws {
        // Its documentation plans for 50,000 people: at least 8 bits, or 4 with another index of 4 bits. Its maximum
        // is one higher, the first beyond the bound.
        #expect(try planner(rows: 50_000).bounds == 8...14)
        let other = BlindIndexPlanner.Other(bits: 4, distinct: 65_536)
        #expect(try planner(rows: 50_000, others: [other]).bounds == 4...10)
        #expect(try planner(rows: 8).bounds == 2...2)
        #expect(try planner(rows: 16).bounds == 3...3)
        #expect(try planner(rows: 1_000_000).bounds == 10...18)
        #expect(try planner(rows: .max).bounds == 32...62)
    }

    @Test("any number of rows from 8 on has bounds, and everything within them is balanced")
    func alwaysBounds() throws {
        for rows in Array(8...300) + [1 << 20, 1 << 40, .max] {
            let planner = try planner(rows: rows)
            for bits in planner.bounds {
                let advice = try planner.advice(bits)
                #expect(advice.verdict == .balanced, "\(rows) rows, \(bits) bits")
                #expect(
                    advice.coincidences >= 2
                        && advice.coincidences < Double(rows).squareRoot())
            }
            #expect(try planner.advice(planner.bounds.lowerBound - 1).verdict == .coarse)
            #expect(try planner.advice(planner.bounds.upperBound + 1).verdict == .revealing)
        }
    }

    @Test("CipherSweet's own examples of the count")
    func count() throws {
        let others = [BlindIndexPlanner.Other(bits: 16, distinct: 1 << 24)]
        #expect(
            try planner(rows: 1 << 31, others: others).advice(8).coincidences == 128)
        #expect(
            try planner(rows: 1 << 24, others: others).advice(8).coincidences == 1)
    }

    @Test("the recommended bits follow from the accepted false positives")
    func recommended() throws {
        let planner = try planner(rows: 50_000)
        #expect(planner.recommendedBits() == 14)
        #expect(planner.recommendedBits(for: 50) == 10)
        #expect(planner.recommendedBits(for: 0) == 14)
        #expect(planner.recommendedBits(for: -.infinity) == 14)
        #expect(planner.recommendedBits(for: 1e9) == 8)
        #expect(planner.recommendedBits(for: .infinity) == 8)
        #expect(planner.recommendedBits(for: .nan) == 14)
        let advice = try planner.advice(10)
        #expect(advice.falsePositives == 50_000 / 1024.0)
        #expect(advice.coincidences == advice.falsePositives)
    }

    @Test("where values repeat, tokens that distinguish them all reveal no more")
    func repeated() throws {
        let planner = try planner(rows: 50_000, distinct: 1000)
        #expect(planner.bounds == 8...10)
        let advice = try planner.advice(20)
        #expect(advice.verdict == .balanced)
        #expect(advice.coincidences == 50)
        #expect(advice.falsePositives < 0.05)
        #expect(planner.recommendedBits() == 10)
    }

    @Test("few values in many rows are refused")
    func histograms() throws {
        for rows in [8, 100, 1_000_000] {
            Refusal.expect(.misuse) { _ = try planner(.integer, rows: rows, distinct: 2) }
        }
        Refusal.expect(.misuse) { _ = try planner(rows: 10_000, distinct: 1) }
        Refusal.expect(.misuse) { _ = try planner(rows: 10_000, distinct: 100) }
        _ = try planner(rows: 10_000, distinct: 101)
        // Other indexes do not help.
        let other = BlindIndexPlanner.Other(bits: 10)
        Refusal.expect(.misuse) { _ = try planner(rows: 1_000_000, distinct: 2, others: [other]) }
        // One letter or digit: 36, or a few more.
        Refusal.expect(.misuse) { _ = try planner(.text, .prefix(1), rows: 10_000) }
        _ = try planner(.text, .prefix(1), rows: 1000)
        _ = try planner(.text, .prefix(1), rows: 10_000, distinct: 3000)
        _ = try planner(.text, .prefix(64), rows: .max)
        do {
            _ = try planner(.integer, rows: 5000, distinct: 2)
            Issue.record("booleans were indexed")
        } catch let error as LockstepError {
            #expect(error.message.contains("2 different values in 5000 rows"))
            #expect(error.hint?.contains("together") == true)
        }
    }

    @Test("a value of few kinds passes together with values that vary more")
    func compound() throws {
        let planner = try BlindIndexPlanner(
            [.init(.text, .prefix(1)), .init(.text, .casefold)], rows: 50_000)
        #expect(planner.bounds == 8...14)
        Refusal.expect(.misuse) {
            _ = try BlindIndexPlanner(
                [.init(.text, .prefix(1))], rows: 50_000)
        }
        Refusal.expect(.misuse) {
            _ = try BlindIndexPlanner(
                [.init(.text, .prefix(1)), .init(.text, .casefold)], rows: 50_000, distinct: 12)
        }
    }

    @Test("a column whose indexes already distinguish its values gets no other")
    func toldAlready() throws {
        let other = BlindIndexPlanner.Other(bits: 14)
        Refusal.expect(.misuse) { _ = try planner(rows: 50_000, others: [other]) }
        let unique = BlindIndexPlanner.Other(bits: 256)
        Refusal.expect(.misuse) { _ = try planner(rows: 50_000, others: [unique]) }
        let few = BlindIndexPlanner.Other(bits: 14, distinct: 300)
        #expect(try planner(rows: 50_000, others: [few]).bounds == 1...6)
    }

    @Test("tokens for UNIQUE show which rows are equal, and are meant for values that never are")
    func unique() throws {
        for planner in [try planner(rows: 50_000), try planner(rows: 50_000, distinct: 50_000)] {
            for bits in [128, 256] {
                let advice = try planner.advice(bits)
                #expect(advice.verdict == .revealing)
                #expect(advice.coincidences <= 1 && advice.falsePositives < 1e-30)
            }
        }
        let repeated = try planner(rows: 50_000, distinct: 49_999)
        Refusal.expect(.misuse) { _ = try repeated.advice(128) }
    }

    @Test("impossible plans are refused")
    func misuse() throws {
        for rows in [.min, -1, 0, 1, 7] {
            Refusal.expect(.misuse) { _ = try planner(rows: rows) }
        }
        for distinct in [.min, -1, 0, 101, .max] {
            Refusal.expect(.misuse) { _ = try planner(rows: 100, distinct: distinct) }
        }
        Refusal.expect(.misuse) { _ = try BlindIndexPlanner([], rows: 100) }
        Refusal.expect(.misuse) { _ = try planner(.integer, .casefold, rows: 100) }
        Refusal.expect(.misuse) { _ = try planner(.null, rows: 100) }
        for other in [
            BlindIndexPlanner.Other(bits: 0), .init(bits: 64), .init(bits: 5, distinct: 0),
        ] {
            Refusal.expect(.misuse) { _ = try planner(rows: 100, others: [other]) }
        }
        let plan = try planner(rows: 100)
        for bits in [0, -1, 64, 127, .max] {
            Refusal.expect(.misuse) { _ = try plan.advice(bits) }
        }
    }
}
