import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct BlindIndexPlannerTests {
    private func planner(
        _ type: CellTag = .text, _ normaliser: Normaliser = .exact, rows: Int, distinct: Int? = nil
    ) throws -> BlindIndexPlanner {
        try BlindIndexPlanner([.init(type, normaliser)], rows: rows, distinct: distinct)
    }

    /// The lengths of tokens within the bounds.
    private func balanced(
        _ planner: BlindIndexPlanner, beside others: [BlindIndexPlanner.Other] = []
    ) -> [Int] {
        (1...63).filter { planner.advice($0, beside: others).verdict == .balanced }
    }

    @Test(
        "the bounds are CipherSweet's: at least 2 coincidences, and fewer than the root of the rows"
    )
    func bounds() throws {
        // Its documentation plans for 50,000 people: at least 8 bits, or 4 with another index of 4 bits. Its maximum
        // is one higher, the first beyond the bound.
        #expect(balanced(try planner(rows: 50_000)) == Array(8...14))
        let other = BlindIndexPlanner.Other(bits: 4, distinct: 65_536)
        #expect(balanced(try planner(rows: 50_000), beside: [other]) == Array(4...10))
        #expect(balanced(try planner(rows: 8)) == [2])
        #expect(balanced(try planner(rows: 16)) == [3])
        #expect(balanced(try planner(rows: 1_000_000)) == Array(10...18))
        #expect(balanced(try planner(rows: .max)) == Array(32...62))
    }

    @Test("any number of rows from 8 on has bounds: shorter tokens are coarse, longer ones reveal")
    func alwaysBounds() throws {
        for rows in Array(8...300) + [1 << 20, 1 << 40, .max] {
            let planner = try planner(rows: rows)
            let balanced = balanced(planner)
            let (minimum, maximum) = (try #require(balanced.first), try #require(balanced.last))
            #expect(balanced == Array(minimum...maximum), "\(rows) rows")
            for bits in balanced {
                let coincidences = planner.advice(bits).coincidences
                #expect(coincidences >= 2 && coincidences < Double(rows).squareRoot())
            }
            #expect(planner.advice(minimum - 1).verdict == .coarse)
            #expect(planner.advice(maximum + 1).verdict == .revealing)
        }
    }

    @Test("CipherSweet's own examples of the count")
    func count() throws {
        let others = [BlindIndexPlanner.Other(bits: 16, distinct: 1 << 24)]
        #expect(try planner(rows: 1 << 31).advice(8, beside: others).coincidences == 128)
        #expect(try planner(rows: 1 << 24).advice(8, beside: others).coincidences == 1)
    }

    @Test("a look-up finds the rows with another value that share a token by chance") func falsePositives() throws {
        let advice = try planner(rows: 50_000).advice(10)
        #expect(advice.falsePositives == 50_000 / 1024.0)
        #expect(advice.coincidences == advice.falsePositives)
    }

    @Test("where values repeat, tokens that distinguish them all reveal no more")
    func repeated() throws {
        let planner = try planner(rows: 50_000, distinct: 1000)
        #expect(balanced(planner) == Array(8...63))
        let advice = planner.advice(20)
        #expect(advice.coincidences == 50)
        #expect(advice.falsePositives < 0.05)
    }

    @Test("few values in many rows are refused")
    func histograms() throws {
        for rows in [8, 100, 1_000_000] {
            Refusal.expect(.misuse) { _ = try planner(.integer, rows: rows, distinct: 2) }
        }
        Refusal.expect(.misuse) { _ = try planner(rows: 10_000, distinct: 1) }
        Refusal.expect(.misuse) { _ = try planner(rows: 10_000, distinct: 100) }
        _ = try planner(rows: 10_000, distinct: 101)
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
        let planner = try BlindIndexPlanner([.init(.text, .prefix(1)), .init(.text, .casefold)], rows: 50_000)
        #expect(balanced(planner) == Array(8...14))
        Refusal.expect(.misuse) {
            _ = try BlindIndexPlanner(
                [.init(.text, .prefix(1))], rows: 50_000)
        }
        Refusal.expect(.misuse) {
            _ = try BlindIndexPlanner([.init(.text, .prefix(1)), .init(.text, .casefold)], rows: 50_000, distinct: 12)
        }
    }

    @Test("beside indexes that already distinguish the values, an index of any length reveals")
    func distinguishedAlready() throws {
        let planner = try planner(rows: 50_000)
        #expect(balanced(planner, beside: [.init(bits: 14)]) == [])
        #expect(balanced(planner, beside: [.init(bits: 256)]) == [])
        #expect(balanced(planner, beside: [.init(bits: 14, distinct: 300)]) == Array(1...6))
        #expect(planner.advice(1, beside: [.init(bits: 14)]).verdict == .revealing)
    }

    @Test("tokens for UNIQUE show which rows are equal")
    func unique() throws {
        for planner in [try planner(rows: 50_000), try planner(rows: 50_000, distinct: 50_000)] {
            for bits in [128, 256] {
                let advice = planner.advice(bits)
                #expect(advice.verdict == .revealing)
                #expect(advice.coincidences <= 1 && advice.falsePositives < 1e-30)
            }
        }
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
    }
}
