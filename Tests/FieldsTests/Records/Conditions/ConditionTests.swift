import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Conditions select rows, in plain and in sealed columns")
struct ConditionTests {
    typealias Kind = RecordScratch.Kind
    typealias Film = ConditionScratch.Film

    /// Compares what a condition selects with what the same question in Swift does.
    private func selects(
        _ db: borrowing Connection, _ expected: (Film) -> Bool, _ location: SourceLocation = #_sourceLocation,
        _ condition: (Columns<Film>) -> Condition<Film>
    ) throws {
        let made = condition(Columns())
        let found = try db.all(Film.self, where: { _ in made }, orderBy: { [$0.id.ascending] })
        let wanted = ConditionScratch.films.filter(expected)
        #expect(found == wanted, sourceLocation: location)
        #expect(
            try db.count(Film.self, where: { _ in made }) == wanted.count,
            sourceLocation: location)
    }

    @Test("Equality, with a value, with several, and with nil", arguments: Kind.allCases)
    func equality(kind: Kind) throws {
        let db = try ConditionScratch(kind).open()
        try selects(db, { $0.title == "Metropolis" }) { $0.title == "Metropolis" }
        try selects(db, { $0.title.isEmpty }) { $0.title == "" }
        try selects(db, { _ in false }) { $0.title == "'; DROP TABLE film; --" }
        try selects(db, { $0.year == -5 }) { $0.year == -5 }
        try selects(db, { $0.rating == 8.5 }) { $0.rating == 8.5 }
        try selects(db, { $0.rating == nil }) { $0.rating == nil }
        try selects(db, { $0.rating != nil }) { $0.rating != nil }
        try selects(db, { $0.seen == nil }) { !($0.seen != nil) }
        try selects(db, { [1927, 0, 5].contains($0.year) }) { $0.year.in([1927, 0, 5]) }
        try selects(db, { $0.seen == nil || $0.seen == "home" }) { $0.seen.in(["home", nil]) }
        try selects(db, { _ in false }) { $0.title.in([]) }
        try selects(db, { $0.id == 3 }) { $0.id == 3 }
        try selects(db, { $0.id != 3 }) { $0.id != 3 }
        try selects(db, { $0.title == "M" }) { !(!($0.title == "M")) }
    }

    @Test("Ranges", arguments: Kind.allCases)
    func ranges(kind: Kind) throws {
        let db = try ConditionScratch(kind).open()
        try selects(db, { (1927...1939).contains($0.year) }) { $0.year.between(1927, 1939) }
        try selects(db, { (1928..<1939).contains($0.year) }) { $0.year > 1927 && $0.year < 1939 }
        try selects(db, { (-5...0).contains($0.year) }) { $0.year >= -5 && $0.year <= 0 }
        try selects(db, { $0.year == 1931 }) {
            $0.year > 1920 && $0.year <= 1940 && $0.title == "M" && $0.year < 2000
        }
        try selects(db, { _ in false }) { $0.year > 5 && $0.year < 5 }
        try selects(db, { _ in false }) { $0.year < Int.min && $0.year > 0 }
        try selects(db, { (1927...1939).contains($0.year) }) {
            !($0.year < 1927 || $0.year > 1939)
        }
        try selects(db, { $0.id ?? 0 > 7 }) { $0.id > 7 }
        try selects(db, { (2...3).contains($0.id ?? 0) }) { $0.id.between(2, 3) }
    }

    @Test("Texts by their beginning, and without case", arguments: Kind.allCases)
    func texts(kind: Kind) throws {
        let db = try ConditionScratch(kind).open()
        try selects(db, { $0.title.hasPrefix("Metro") }) { $0.title.hasPrefix("Metro") }
        try selects(db, { $0.title.hasPrefix("Metrop") }) { $0.title.hasPrefix("Metrop") }
        try selects(db, { $0.title.hasPrefix("me") }) { $0.title.hasPrefix("me") }
        try selects(db, { $0.seen?.hasPrefix("h") == true }) { $0.seen.hasPrefix("h") }
        try selects(db, { ["Metropolis", "metropolis"].contains($0.title) }) {
            $0.title.equalIgnoringCase("METROPOLIS")
        }
        try selects(db, { [4, 7].contains($0.id) }) { $0.title.equalIgnoringCase("ÉLÉGIE") }
        try selects(db, { $0.id == 8 }) { $0.title.equalIgnoringCase("STRASSE") }
        try selects(db, { $0.title.isEmpty }) { $0.title.equalIgnoringCase("") }
    }

    @Test("Conditions are combined", arguments: Kind.allCases)
    func combined(kind: Kind) throws {
        let db = try ConditionScratch(kind).open()
        try selects(db, { $0.title == "M" || $0.year == 0 || $0.id == 9 }) {
            $0.title == "M" || $0.year == 0 || $0.id == 9
        }
        try selects(db, { ($0.title == "M" || $0.id ?? 0 < 3) && $0.year.isMultiple(of: 10) }) {
            ($0.title == "M" || $0.id < 3) && .sql("year % 10 = \(0)")
        }
        try selects(db, { !($0.id == 1 || ($0.id ?? 0) > 4) }) { !($0.id == 1 || $0.id > 4) }
        try selects(db, { $0.year.isMultiple(of: 2) == false }) { _ in
            !.sql("year % 2 = 0")
        }
    }

    @Test("Rows are opened one by one where that is allowed", arguments: Kind.allCases)
    func scanning(kind: Kind) throws {
        let db = try ConditionScratch(kind).open()
        try selects(db, { $0.year < 1930 }) { _ in .scanning { $0.year < 1930 } }
        try selects(db, { $0.id ?? 0 < 5 && $0.title != "M" }) {
            $0.id < 5 && .scanning { $0.title != "M" }
        }
        try selects(db, { $0.title.lowercased().hasSuffix("polis") }) { _ in
            .scanning { $0.title.like("%POLIS") }
        }
        try selects(db, { !$0.title.lowercased().hasSuffix("polis") }) { _ in
            !.scanning { $0.title.like("%polis") }
        }
        try selects(db, { ($0.rating ?? -9) > 0 }) { _ in .scanning { $0.rating > 0 } }
        try selects(db, { $0.likes == 9 }) { _ in .scanning { $0.likes == 9 } }
        try selects(db, { ![1931, 0].contains($0.year) }) { _ in
            .scanning { !$0.year.in([1931, 0]) }
        }
        try selects(db, { !$0.title.hasPrefix("Me") }) { _ in
            .scanning { !$0.title.hasPrefix("Me") }
        }
        try selects(db, { _ in true }) { _ in .scanning { $0.title.hasPrefix("") } }
        try selects(db, { $0.id == 9 }) { _ in .scanning { $0.title.hasPrefix("STRASSE\u{10FFFF}") } }
    }

    @Test("The order, the limit and the first row", arguments: Kind.allCases)
    func order(kind: Kind) throws {
        let db = try ConditionScratch(kind).open()
        let films = ConditionScratch.films
        let byYear = try db.all(Film.self, orderBy: { [$0.year.descending, $0.id.ascending] }, limit: 3)
        #expect(byYear == Array(films.sorted { $0.year > $1.year }.prefix(3)))
        #expect(try db.all(Film.self, orderBy: { [$0.id.ascending] }) == films)
        #expect(try db.all(Film.self, limit: 0).isEmpty)
        let rated = try db.all(Film.self, orderBy: { [$0.rating.ascending, $0.id.descending] })
        #expect(rated.map(\.id) == [9, 7, 6, 3, 4, 8, 5, 2, 1])
        #expect(try db.first(Film.self, orderBy: { [$0.year.ascending] })?.id == 4)
        #expect(try db.first(Film.self, where: { $0.title == "none" }) == nil)
        Refusal.expect(.misuse) { _ = try db.all(Film.self, limit: -1) }
    }

    @Test("A row is found by its key", arguments: Kind.allCases)
    func find(kind: Kind) throws {
        let db = try ConditionScratch(kind).open()
        #expect(try db.find(Film.self, 3) == ConditionScratch.films[2])
        #expect(try db.find(Film.self, Int64(99)) == nil)
        #expect(try db.find(Film.self, nil as Int64?) == nil)
        Refusal.expect(.misuse) { _ = try db.find(Film.self, 1, 2) }
        Refusal.expect(.misuse) { _ = try db.find(Film.self) }
        let tags = try RecordScratch(kind).open()
        let tag = try tags.insert(RecordChangesTests.Tag(weight: 1, name: "noir", movie: 2))
        #expect(try tags.find(RecordChangesTests.Tag.self, "noir", 2) == tag)
        #expect(try tags.find(RecordChangesTests.Tag.self, "noir", 3) == nil)
    }

    @Test("Rows are deleted and updated", arguments: Kind.allCases)
    func changes(kind: Kind) throws {
        let db = try ConditionScratch(kind).open()
        let deleted = try db.delete(Film.self, where: { $0.title.hasPrefix("Metro") })
        #expect(deleted == 2 && db.changes == 2)
        #expect(try db.delete(Film.self, where: { $0.title == "none" }) == 0)
        let updated = try db.update(
            Film.self,
            set: { [$0.likes += 2, $0.rating -= 1, $0.seen.set(to: nil)] },
            where: { $0.year.between(1930, 1939) })
        #expect(updated == 2)
        #expect(
            try db.find(Film.self, 2)
                == Film(id: 2, title: "M", year: 1931, rating: 7.25, likes: 2))
        try db.update(
            Film.self, set: { [$0.title.set(sql: "title || \("!")"), $0.year -= 1] }, where: { $0.title == "M" })
        #expect(try db.find(Film.self, 2)?.title == "M!")
        #expect(try db.find(Film.self, 2)?.year == 1930)
        #expect(try db.count(Film.self, where: { $0.title == "M!" && $0.year == 1930 }) == 1)
        // NULL stays NULL.
        try db.update(Film.self, set: { [$0.rating += 1] }, where: { $0.id == 9 })
        #expect(try db.find(Film.self, 9)?.rating == nil)
        #expect(try db.delete(Film.self, where: { _ in .sql("true") }) == 7)
        #expect(try db.count(Film.self) == 0)
    }

    @Test("A sum of integers that does not fit is an error, and no other number")
    func overflow() throws {
        let db = try ConditionScratch(.plain).open()
        try db.update(Film.self, set: { [$0.likes.set(to: .max - 1)] }, where: { $0.id == 1 })
        try db.update(Film.self, set: { [$0.likes += 1] }, where: { $0.id == 1 })
        Refusal.expect(.sqlFailed) {
            try db.update(Film.self, set: { [$0.likes += 1] }, where: { $0.id == 1 })
        }
        Refusal.expect(.sqlFailed) {
            try db.update(Film.self, set: { [$0.likes -= .min] }, where: { $0.id == 1 })
        }
        #expect(try db.find(Film.self, 1)?.likes == .max)
        Refusal.expect(.misuse) {
            try db.update(Film.self, set: { _ in [] }, where: { $0.id == 1 })
        }
    }

    @Test("A store does the same, asynchronously", arguments: Kind.allCases)
    func store(kind: Kind) async throws {
        let scratch = try ConditionScratch(kind)
        let store = try scratch.openStore()
        let films = ConditionScratch.films
        #expect(try await store.find(Film.self, 1) == films[0])
        #expect(
            try await store.all(
                Film.self, where: { $0.title == "M" }, orderBy: { [$0.id.ascending] }, limit: 2)
                == [films[1]])
        #expect(try await store.first(Film.self, where: { $0.year == 0 })?.id == 7)
        #expect(try await store.count(Film.self) == 9)
        #expect(
            try await store.update(
                Film.self, set: { [$0.likes += 1] }, where: { $0.id < 3 }) == 2)
        #expect(try await store.delete(Film.self, where: { $0.id > 3 }) == 6)
        #expect(try await store.count(Film.self, where: { $0.id < 10 }) == 3)
        try await store.close()
        #expect(try scratch.open().count(Film.self) == 3)
    }

    @Test("SQL names a record's table or its readable view", arguments: Kind.allCases)
    func interpolation(kind: Kind) throws {
        let scratch = try ConditionScratch(kind)
        let db = try scratch.open()
        let rows = try db.query(
            "SELECT year, count(*) FROM \(Film.self) WHERE title = \("M") GROUP BY year", as: (Int, Int).self)
        #expect(rows.map(\.0) == [1931])
        let inner: SQL = "SELECT id FROM \(Film.self) WHERE year > \(1900)"
        let outer: SQL = "SELECT count(*) FROM \(Film.self) AS é WHERE 'é' = \("é") AND id IN (\(inner))"
        #expect(try db.value(outer) == 7)
        try db.execute("UPDATE \(Film.self) SET title = \("N") WHERE id = 2")
        #expect(try db.find(Film.self, 2)?.title == "N")
        if kind == .sealed {
            let other = try scratch.workbench.open([])
            Refusal.expect(.keyUnavailable) {
                _ = try other.value("SELECT count(*) FROM \(Film.self)", as: Int.self)
            }
        }
    }

    @Test("An index of SQLite's finds what begins with a text")
    func plan() throws {
        let db = try ConditionScratch(.plain).open()
        try db.execute("CREATE INDEX by_title ON film (title)")
        let condition = ConditionWriter.prefix("title", "Me")
        let plan = try db.query("EXPLAIN QUERY PLAN SELECT id FROM film WHERE \(condition)") {
            try $0[3] as String
        }
        #expect(plan.joined().contains("by_title (title>? AND title<?)"))
    }
}
