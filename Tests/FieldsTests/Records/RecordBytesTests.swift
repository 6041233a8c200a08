import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Records: texts by their bytes")
struct RecordBytesTests {
    /// With a text as its key.
    struct Tag: Record {
        static let table = "tag"
        static let primaryKey = ["name", "movie"]
        var name: String
        var movie: Int
        var weight: Double?
    }

    @Test(
        "A text that differs by normalisation alone is a change, plain and sealed",
        arguments: RecordScratch.Kind.allCases)
    func changes(_ kind: RecordScratch.Kind) throws {
        let db = try RecordScratch(kind).open()
        for (number, pair) in NamePair.all.enumerated() {
            let old = try db.insert(Movie(id: Int64(number), title: pair.one, note: pair.other))
            var new = old
            new.title = pair.other
            #expect(try db.updateChanges(new, from: old), "\(pair)")
            let found = try db.query(
                "SELECT title FROM \(try db.readable("movie")) WHERE id = \(number)"
            ) { row in try row[0] as String }
            #expect(found.map { ExactText($0) } == [ExactText(pair.other)])
            #expect(try !db.updateChanges(new, from: new))
        }
    }

    @Test("A key that differs by normalisation alone is another key", arguments: NamePair.all)
    func keys(_ pair: NamePair) throws {
        let db = try RecordScratch(.plain).open()
        let tags = pair.both.enumerated().map { Tag(name: $1, movie: 1, weight: Double($0)) }
        try db.insert(all: tags)
        Refusal.expect(.misuse) { try db.updateChanges(tags[1], from: tags[0]) }
        try db.update(Tag(name: pair.other, movie: 1, weight: 7))
        #expect(try db.query("SELECT weight FROM tag ORDER BY weight") { row in try row[0] as Double } == [0, 7])
        #expect(try db.delete(tags[0]) && !db.delete(tags[0]))
        #expect(try db.value("SELECT count(*) FROM tag") == 1)
    }
}
