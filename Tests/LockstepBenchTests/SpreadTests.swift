import Testing

@testable import BenchKit
@testable import LockstepBench

@Suite("Medians, spreads and ratios")
struct SpreadTests {
    @Test("The median of odd and even numbers of runs")
    func medians() {
        #expect(Spread([5, 1, 9])?.median == 5)
        #expect(Spread([4, 1, 9, 2])?.median == 3)
        #expect(Spread([7])?.median == 7)
        #expect(Spread([]) == nil)
    }

    @Test("The least and the greatest")
    func ends() {
        let spread = Spread([5, 1, 9, 3])
        #expect(spread?.least == 1)
        #expect(spread?.most == 9)
    }

    @Test("A ratio is that of the medians, its spread that of neighbouring runs")
    func ratios() {
        let ratio = Spread.ratio([10, 20, 60], to: [10, 40, 20])
        #expect(ratio?.ofMedians == 1)
        #expect(ratio?.least == 0.5)
        #expect(ratio?.most == 3)
        #expect(Spread.ratio([], to: [1]) == nil)
        #expect(Spread.ratio([1], to: [0]) == nil)
    }

    @Test("Figures are for one operation")
    func perOperation() {
        var outcome = Outcomes.good(Outcomes.request(rows: 10), cpu: 2000)
        outcome.wallNanoseconds = 5000
        let series = Series(
            peer: "fake", variant: "plain", isEncrypted: false, outcomes: [outcome])
        #expect(series.cpu == [200])
        #expect(series.wall == [500])
    }

    @Test(
        "Numbers formatted for people",
        arguments: [
            (Figures.microseconds(2413), "2.41"), (Figures.microseconds(123_456), "123.5"),
            (Figures.microseconds(12_345_678), "12346"), (Figures.ratio(1.005), "1.00"), (Figures.ratio(0.999), "1.00"),
            (Figures.ratio(-0.25), "-0.25"), (Figures.ratio(0.07), "0.07"), (Figures.count(1_234_567), "1,234,567"),
            (Figures.count(12), "12"), (Figures.decimal(.infinity, 1), "inf"),
        ])
    func figures(_ text: String, _ expected: String) { #expect(text == expected) }
}
