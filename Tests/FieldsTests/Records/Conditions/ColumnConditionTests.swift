import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Two columns compared, parts of texts, and patterns with an escape") struct ColumnConditionTests {
    struct Score: Record, Equatable {
        var id: Int64?
        var home: Int
        var away: Int
        var best: Int?
        var last: Int?
        var name: String = ""
    }

    private static let scores = [
        Score(id: 1, home: 1, away: 2, best: 1, last: nil, name: "100%"),
        Score(id: 2, home: 2, away: 2, best: nil, last: nil, name: "100 percent"),
        Score(id: 3, home: 3, away: 2, best: 4, last: 4, name: "a_b\\c"),
        Score(id: 4, home: -1, away: 0, best: 0, last: -7, name: "cafe\u{301}"),
        Score(id: 5, home: 5, away: 5, best: 6, last: 9, name: "Caf\u{E9}"),
    ]

    private static func database() throws -> Connection {
        let db = try Connection.inMemory()
        try db.run(
            script: """
                CREATE TABLE score (id INTEGER PRIMARY KEY, home INTEGER NOT NULL, away INTEGER NOT NULL, best INTEGER,
                    last INTEGER, name TEXT NOT NULL);
                """)
        try db.insert(all: scores)
        return db
    }

    private func selects(
        _ expected: (Score) -> Bool, _ location: SourceLocation = #_sourceLocation,
        _ condition: (Columns<Score>) -> Condition<Score>
    ) throws {
        let made = condition(Columns())
        let found = try Self.database().all(Score.self, where: { _ in made }, orderBy: { [$0.id.ascending] })
        #expect(found == Self.scores.filter(expected), sourceLocation: location)
    }

    @Test("Every operator, and NULL in either column or in both")
    func columns() throws {
        try selects({ $0.home == $0.away }) { $0.home == $0.away }
        try selects({ $0.home != $0.away }) { $0.home != $0.away }
        try selects({ $0.home < $0.away }) { $0.home < $0.away }
        try selects({ $0.home <= $0.away }) { $0.home <= $0.away }
        try selects({ $0.home > $0.away }) { $0.home > $0.away }
        try selects({ $0.home >= $0.away }) { !($0.home < $0.away) }
        try selects({ s in s.best.map { s.home < $0 } ?? false }) { $0.home < $0.best }
        try selects({ s in s.best.map { $0 <= s.home } ?? false }) { $0.best <= $0.home }
        try selects({ s in s.best.map { $0 == s.home } ?? false }) { $0.best == $0.home }
        try selects({ $0.best != nil && $0.best == $0.last }) { $0.best == $0.last }
        try selects({ s in s.best.flatMap { b in s.last.map { b > $0 } } ?? false }) {
            $0.best > $0.last
        }
        try selects({ _ in false }) { !($0.last == $0.last || $0.last != $0.last) }
    }

    @Test("A part of a text is found byte by byte, and none of its characters has a meaning") func contains() throws {
        for part in ["", "0%", "%", "_", "a_b\\", "\\", "e\u{301}", "\u{E9}", "Caf", "100 p", "x"] {
            let bytes = Array(part.utf8)
            try selects({ score in
                let text = Array(score.name.utf8)
                guard !bytes.isEmpty else { return true }
                return text.indices.contains { text[$0...].starts(with: bytes) }
            }) { $0.name.contains(part) }
        }
        try selects({ !$0.name.utf8.contains(0x25) }) { !$0.name.contains("%") }
    }

    @Test("A pattern's escape")
    func escape() throws {
        try selects({ $0.id == 1 }) { $0.name.like("100!%", escape: "!") }
        try selects({ $0.id == 3 }) { $0.name.like("a\\_b\\\\c", escape: "\\") }
        try selects({ [1, 2].contains($0.id) }) { $0.name.like("100%") }
        Refusal.expect(.misuse) {
            _ = try Self.database().count(Score.self, where: { $0.name.like("x", escape: "e\u{301}") })
        }
    }

    @Test("On sealed columns two columns and parts of texts open every row, or are refused") func sealed() throws {
        let db = try ConditionScratch(.sealed).open()
        typealias Film = ConditionScratch.Film
        Refusal.expect(.misuse) { _ = try db.count(Film.self, where: { $0.likes < $0.year }) }
        Refusal.expect(.misuse) {
            _ = try db.count(Film.self, where: { $0.title.contains("etro") })
        }
        #expect(try db.count(Film.self, where: { film in .scanning { _ in film.likes < film.year } }) == 7)
        #expect(try db.count(Film.self, where: { film in .scanning { $0.title.contains("etro") } }) == 3)
    }
}
