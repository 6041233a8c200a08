import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Conditions that cannot be answered")
struct ConditionRefusalTests {
    typealias Kind = RecordScratch.Kind
    typealias Film = ConditionScratch.Film

    private func refused(
        _ db: borrowing Connection, _ message: String, _ hint: String, _ location: SourceLocation = #_sourceLocation,
        _ condition: (Columns<Film>) -> Condition<Film>
    ) {
        let error = Refusal.error(.misuse, sourceLocation: location) {
            _ = try db.delete(Film.self, where: condition)
        }
        #expect(
            error?.message == "film.\(message), and no blind index can answer "
                + (error?.message.split(separator: " answer ").last ?? ""),
            sourceLocation: location)
        #expect(error?.hint?.contains(hint) == true, "\(error?.hint ?? "")", sourceLocation: location)
        #expect(error?.hint?.contains(".scanning") == true, sourceLocation: location)
        #expect(error?.context.table == "film", sourceLocation: location)
    }

    @Test("What no blind index answers names the index that would")
    func unanswered() throws {
        let db = try ConditionScratch(.sealed).open()
        refused(db, "likes is sealed", "index=exact") { $0.likes == 3 }
        refused(db, "likes is sealed", "index=exact") { $0.likes.in([1, 2]) }
        refused(db, "likes is sealed", "index=bucket-N") { $0.likes.between(1, 2) }
        refused(db, "likes is sealed", "index=bucket-N") { $0.likes < 1 }
        refused(db, "title is sealed", "every row") { $0.title != "M" }
        refused(db, "title is sealed", "every row") { !($0.title == "M") }
        refused(db, "title is sealed", "every row") { $0.title < "M" }
        refused(db, "title is sealed", "every row") { $0.title.like("M%") }
        refused(db, "title is sealed", "prefix-N with N up to 1") { $0.title.hasPrefix("M") }
        refused(db, "title is sealed", "every row") { $0.title.hasPrefix("") }
        refused(db, "title is sealed", "every row") { !$0.title.equalIgnoringCase("M") }
        refused(db, "seen is sealed", "index=casefold") { $0.seen.equalIgnoringCase("M") }
        refused(db, "rating is sealed", "every row") { $0.rating > 5 }
        refused(db, "year is sealed", "other bound") { $0.year > 5 }
        refused(db, "year is sealed", "other bound") { $0.year > 5 || $0.year < 3 }
        #expect(try db.count(Film.self) == 9)
        Refusal.expect(.misuse) {
            _ = try db.all(Film.self, where: { $0.year > 0 && $0.year < 2_000_000 })
        }
    }

    @Test("An order by a sealed column opens no more rows than the options say")
    func order() throws {
        var options = ConnectionOptions()
        options.maximumOpenedRows = 4
        let scratch = try ConditionScratch(.sealed)
        let db = try scratch.open(options)
        let error = Refusal.error(.limitExceeded) {
            _ = try db.all(Film.self, orderBy: { [$0.title.ascending] }, limit: 1)
        }
        #expect(
            error?.message
                == "film.title is sealed, and an order by it would open more than 4 rows")
        let titles = try db.all(
            Film.self, where: { $0.id < 5 }, orderBy: { [$0.title.descending] }
        ).map(\.title)
        #expect(titles == ["Élégie", "metropolis", "Metropolis", "M"])
        Refusal.expect(.limitExceeded) {
            _ = try db.all(Film.self, where: { $0.id < 6 }, orderBy: { [$0.title.descending] })
        }
        #expect(try db.all(Film.self, orderBy: { [$0.id.ascending] }).count == 9)
        let plain = try ConditionScratch(.plain).open(options)
        #expect(try plain.all(Film.self, orderBy: { [$0.title.ascending] }).count == 9)
    }

    struct Strange: Record {
        static let table = "film"
        var id: Int64?
        var yeer: Int
        var both: Int { yeer }
    }

    @Test("A property without a column is an error, and so is one that is computed") func properties() throws {
        let db = try ConditionScratch(.plain).open()
        let missing = Refusal.error(.recordMisfit) {
            _ = try db.all(Strange.self, where: { $0.yeer == 1 })
        }
        #expect(missing?.message == "film has no column yeer")
        #expect(missing?.context.missing == .init(.column, "yeer"))
        Refusal.expect(.recordMisfit) {
            _ = try db.all(Strange.self, orderBy: { [$0.yeer.ascending] })
        }
        Refusal.expect(.recordMisfit) {
            try db.update(Strange.self, set: { [$0.yeer += 1] }, where: { $0.id == 1 })
        }
        let computed = Refusal.error(.recordMisfit) {
            _ = try db.count(Strange.self, where: { $0.both == 1 && $0.id == 1 })
        }
        #expect(computed?.message.contains("computed or observed") == true)
        // Without a condition, decoding reports it.
        Refusal.expect(.decodeMismatch) { _ = try db.all(Strange.self) }
        Refusal.expect(.recordMisfit) { _ = try db.all(RecordCheckTests.Nowhere.self) }
    }

    @Test("A number that is none is an error")
    func noNumber() throws {
        let film = try ConditionScratch(.plain).open()
        Refusal.expect(.bindMismatch) { _ = try film.all(Film.self, where: { $0.rating == .nan }) }
    }

    #if Foundation
    struct Visit: Record, Equatable {
        enum Mood: String, Codable { case calm, wild }
        var id: Int64?
        var day: Date
        var at: Date?
        var key: UUID
        var mood: Mood
        var tags: [String] = []
        var big: UInt64 = 0

        static func dates(for column: String) -> DateColumns {
            column == "at" ? .millisecondsSince1970 : .iso8601
        }

        static func uuids(for column: String) -> UUIDColumns { .blob }
    }

    private func visits() throws -> Connection {
        let db = try Connection.inMemory()
        try db.run(
            script: """
                CREATE TABLE visit (id INTEGER PRIMARY KEY, day TEXT NOT NULL, at INTEGER,
                    key BLOB NOT NULL, mood TEXT NOT NULL, tags TEXT NOT NULL, big INTEGER NOT NULL)
                """)
        return db
    }

    @Test("Values are compared in the form that their column stores")
    func forms() throws {
        let db = try visits()
        let days = (1...4).map { Date(timeIntervalSince1970: Double($0) * 86_400) }
        for (index, day) in days.enumerated() {
            try db.insert(
                Visit(
                    day: day, at: index == 3 ? nil : day, key: UUID(),
                    mood: index == 0 ? .wild : .calm, tags: ["\(index)"], big: UInt64(index)))
        }
        let all = try db.all(Visit.self, orderBy: { [$0.id.ascending] })
        func found(_ condition: (Columns<Visit>) -> Condition<Visit>) throws -> [Int64?] {
            let made = condition(Columns())
            return try db.all(Visit.self, where: { _ in made }, orderBy: { [$0.id.ascending] })
                .map(\.id)
        }
        #expect(try found { $0.day == days[1] } == [2])
        #expect(try found { $0.day > days[1] } == [3, 4])
        #expect(try found { $0.at >= days[1] } == [2, 3])
        #expect(try found { $0.at.between(days[0], days[1]) } == [1, 2])
        #expect(try found { $0.at == nil } == [4])
        #expect(try found { $0.key == all[2].key } == [3])
        #expect(try found { $0.key.in(all.map(\.key)) } == [1, 2, 3, 4])
        #expect(try found { $0.mood == .wild } == [1])
        #expect(try found { $0.mood != .wild } == [2, 3, 4])
        #expect(try found { $0.tags == ["2"] } == [3])
        #expect(try found { $0.big < 2 } == [1, 2])
        try db.update(Visit.self, set: { [$0.at.set(to: days[3])] }, where: { $0.id == 1 })
        #expect(try db.find(Visit.self, 1)?.at == days[3])
    }

    @Test("A value that the column cannot store is an error")
    func values() throws {
        let db = try visits()
        let big = Refusal.error(.bindMismatch) {
            _ = try db.all(Visit.self, where: { $0.big == UInt64.max || $0.id == 1 })
        }
        #expect(big?.message.contains("Visit.big is out of the range of INTEGER") == true)
        Refusal.expect(.bindMismatch) {
            _ = try db.all(Visit.self, where: { $0.day < Date(timeIntervalSince1970: 1e12) })
        }
        Refusal.expect(.bindMismatch) {
            try db.update(Visit.self, set: { [$0.big.set(to: .max)] }, where: { $0.id == 1 })
        }
    }
    #endif
}
