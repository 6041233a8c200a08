import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Long lists, empty lists and empty prefixes, in plain and in sealed columns") struct ConditionListTests {
    typealias Kind = RecordScratch.Kind
    typealias Film = ConditionScratch.Film

    /// A statement has so many parameters.
    private static let most = 32_766

    @Test("A list has as many values as a statement has parameters", arguments: Kind.allCases)
    func long(kind: Kind) throws {
        let db = try ConditionScratch(kind).open()
        for count in [990, 1001, 1100, 5000, Self.most - 1] {
            let titles = (1..<count).map { "film \($0)" } + ["M"]
            #expect(try db.count(Film.self, where: { $0.title.in(titles) }) == 1, "\(count)")
            let years = (3000..<2999 + count).map { $0 } + [1927]
            #expect(try db.all(Film.self, where: { $0.year.in(years) }).map(\.id) == [1], "\(count)")
        }
        let ratings = (1..<2000).map { Double($0) + 0.125 } + [8.5]
        #expect(try db.all(Film.self, where: { $0.rating.in(ratings) }).map(\.id) == [1])
    }

    @Test("More values are an error that says what to do", arguments: Kind.allCases)
    func tooLong(kind: Kind) throws {
        let db = try ConditionScratch(kind).open()
        let titles = (0..<40_000).map { "film \($0)" }
        func hint(_ body: () throws -> Void) -> String? {
            do {
                try body()
                return nil
            } catch let error as LockstepError {
                return error.code == .sqlFailed ? error.hint : nil
            } catch {
                return nil
            }
        }
        let condition = hint { _ = try db.count(Film.self, where: { $0.title.in(titles) }) }
        #expect(condition?.contains("split the list") == true)
        let sql = hint { _ = try db.query("SELECT 1 WHERE 1 IN \(list: 0..<40_000)", as: Int.self) }
        #expect(sql?.contains("split the list") == true)
    }

    @Test("Every row is outside of an empty list, and none is in it", arguments: Kind.allCases)
    func empty(kind: Kind) throws {
        let db = try ConditionScratch(kind).open()
        let count = ConditionScratch.films.count
        #expect(try db.count(Film.self, where: { !$0.title.in([]) }) == count)
        #expect(try db.count(Film.self, where: { !$0.seen.in([]) }) == count)
        #expect(try db.count(Film.self, where: { $0.seen.in([]) }) == 0)
        #expect(try db.count(Film.self, where: { $0.likes.in([]) }) == 0)
    }

    @Test("A comparison with NULL is neither true nor false, for an empty prefix, too") func prefixOfNull() throws {
        let db = try ConditionScratch(.plain).open()
        let withText = ConditionScratch.films.filter { $0.seen != nil }.count
        #expect(try db.count(Film.self, where: { $0.seen.hasPrefix("") }) == withText)
        #expect(try db.count(Film.self, where: { !$0.seen.hasPrefix("") }) == 0)
        #expect(
            try db.count(Film.self, where: { $0.seen.hasPrefix("h") })
                + db.count(Film.self, where: { !$0.seen.hasPrefix("h") }) == withText)
        try db.execute("UPDATE film SET seen = x'00' WHERE id = 1")
        #expect(try db.count(Film.self, where: { !$0.seen.hasPrefix("") }) == 1)
    }
}
