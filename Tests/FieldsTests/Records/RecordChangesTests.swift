import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Records are inserted, updated and deleted")
struct RecordChangesTests {
    typealias Kind = RecordScratch.Kind

    private static let metropolis = Movie(title: "Metropolis", year: 1927)

    // MARK: Inserting

    @Test("An insert returns the row with its number", arguments: Kind.allCases)
    func insert(kind: Kind) throws {
        let db = try RecordScratch(kind).open()
        let first = try db.insert(Self.metropolis)
        #expect(first == Movie(id: 1, title: "Metropolis", year: 1927))
        let second = try db.insert(Movie(id: 40, title: "M", note: "1931"))
        #expect(second.id == 40)
        #expect(try db.insert(Movie(title: "Casablanca")).id == 41)
        #expect(db.changes == 1)
        #expect(try db.movies().map(\.title) == ["Metropolis", "M", "Casablanca"])
    }

    @Test("A key that exists is a constraint, and nothing changes", arguments: Kind.allCases)
    func conflict(kind: Kind) throws {
        let db = try RecordScratch(kind).open()
        let row = try db.insert(Self.metropolis)
        var other = row
        other.title = "M"
        Refusal.expect(.constraint) { try db.insert(other) }
        #expect(try db.movies() == [row])
    }

    @Test("Many records are inserted, all or none", arguments: Kind.allCases)
    func insertAll(kind: Kind) throws {
        let db = try RecordScratch(kind).open()
        try db.insert(all: [Movie]())
        try db.insert(all: (1...300).map { (year: Int) in Movie(title: "film \(year)", year: year) })
        #expect(try db.movies().map(\.year) == (1...300).map { $0 })
        let broken = [Movie(title: "new"), Movie(id: 3, title: "taken")]
        Refusal.expect(.constraint) { try db.insert(all: broken) }
        try db.write { db in
            Refusal.expect(.constraint) { try db.insert(all: broken) }
            try db.insert(Movie(title: "after"))
        }
        #expect(try db.movies().map(\.title).suffix(2) == ["film 300", "after"])
    }

    struct Counted: Record, Equatable {
        static let table = "counted"
        var id: Int64?
        var title: String
        var size: Int?
        var likes: Int

        init(id: Int64? = nil, title: String, size: Int? = nil, likes: Int) {
            (self.id, self.title, self.size, self.likes) = (id, title, size, likes)
        }
    }

    /// Leaves out a column, so that its default counts, and reads it.
    struct Liked: Record, Equatable {
        static let table = "counted"
        var id: Int64?
        var title: String
        var likes: Int?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(title, forKey: .title)
            if let likes { try container.encode(likes, forKey: .likes) }
            if let id { try container.encode(id, forKey: .id) }
        }
    }

    @Test("Generated columns are read and never written", arguments: Kind.allCases)
    func generated(kind: Kind) throws {
        let db = try RecordScratch(kind).open()
        var row = try db.insert(Counted(title: "a", likes: 4))
        #expect(row == Counted(id: 1, title: "a", size: 8, likes: 4))
        row.likes = 5
        try db.update(row)
        #expect(try db.save(row).size == 10)
        try db.upsert(row)
        row.size = 99
        var changed = row
        changed.size = 100
        #expect(try !db.updateChanges(changed, from: row))
    }

    @Test("Properties that a type does not encode get their defaults", arguments: Kind.allCases)
    func leftOut(kind: Kind) throws {
        let db = try RecordScratch(kind).open()
        #expect(try db.insert(Liked(title: "a")) == Liked(id: 1, title: "a", likes: 7))
        #expect(try db.insert(Liked(title: "b", likes: 3)) == Liked(id: 2, title: "b", likes: 3))
        try db.insert(all: [
            Liked(title: "c"), Liked(id: 9, title: "d", likes: 1), Liked(id: 12, title: "e"), Liked(title: "f"),
        ])
        let rows = try db.decode(Liked.self, "SELECT * FROM \(try db.readable("counted")) ORDER BY id")
        #expect(rows.map(\.title) == ["a", "b", "c", "d", "e", "f"])
        #expect(rows.map(\.likes) == [7, 3, 7, 1, 7, 7])
        #expect(rows.map(\.id) == [1, 2, 3, 9, 12, 13])
    }

    // MARK: Updating

    @Test("An update changes its row and no other", arguments: Kind.allCases)
    func update(kind: Kind) throws {
        let db = try RecordScratch(kind).open()
        var row = try db.insert(Self.metropolis)
        let other = try db.insert(Movie(title: "M"))
        (row.title, row.year, row.note) = ("Métropolis", nil, "restored")
        try db.update(row)
        #expect(db.changes == 1)
        #expect(try db.movies() == [row, other])
    }

    @Test("A row that is missing, and a key that is nil, are errors", arguments: Kind.allCases)
    func missing(kind: Kind) throws {
        let db = try RecordScratch(kind).open()
        let row = try db.insert(Self.metropolis)
        var stranger = row
        stranger.id = 7
        Refusal.expect(.rowMissing) { try db.update(stranger) }
        Refusal.expect(.rowMissing) {
            try db.updateChanges(stranger, from: Movie(id: 7, title: ""))
        }
        stranger.id = nil
        Refusal.expect(.misuse) { try db.update(stranger) }
        Refusal.expect(.misuse) { try db.delete(stranger) }
        Refusal.expect(.misuse) { try db.updateChanges(stranger, from: stranger) }
        Refusal.expect(.misuse) { try db.updateChanges(row, from: Movie(id: 2, title: "M")) }
        #expect(try db.movies() == [row])
    }

    @Test("Only columns that differ are written", arguments: Kind.allCases)
    func changes(kind: Kind) throws {
        let db = try RecordScratch(kind).open()
        let row = try db.insert(Self.metropolis)
        #expect(try !db.updateChanges(row, from: row))
        // Somebody else changes another column meanwhile.
        try db.execute("UPDATE \(try db.readable("movie")) SET note = 'kept'")
        var changed = row
        (changed.title, changed.year) = ("M", nil)
        #expect(try db.updateChanges(changed, from: row))
        #expect(try db.movies() == [Movie(id: 1, title: "M", note: "kept")])
    }

    @Test("An upsert updates or inserts", arguments: Kind.allCases)
    func upsert(kind: Kind) throws {
        let db = try RecordScratch(kind).open()
        try db.upsert(Movie(id: 3, title: "a"))
        try db.upsert(Movie(id: 3, title: "b", year: 1))
        try db.upsert(Movie(title: "c"))
        #expect(db.changes == 1)
        #expect(
            try db.movies() == [Movie(id: 3, title: "b", year: 1), Movie(id: 4, title: "c")])
    }

    @Test("Saving returns the row, inserted or updated", arguments: Kind.allCases)
    func save(kind: Kind) throws {
        let db = try RecordScratch(kind).open()
        var row = try db.save(Self.metropolis)
        #expect(row.id == 1)
        row.note = "seen"
        #expect(try db.save(row) == row)
        #expect(try db.save(Movie(id: 5, title: "M")).id == 5)
        #expect(try db.movies() == [row, Movie(id: 5, title: "M")])
    }

    @Test("Deleting says whether there was a row", arguments: Kind.allCases)
    func delete(kind: Kind) throws {
        let db = try RecordScratch(kind).open()
        let row = try db.insert(Self.metropolis)
        #expect(try db.delete(row))
        #expect(try !db.delete(row))
        #expect(try db.movies().isEmpty)
    }

    // MARK: Keys

    struct Tag: Record, Equatable {
        static let primaryKey = ["name", "movie"]
        var weight: Double?
        var name: String
        var movie: Int64
    }

    @Test("A key of several columns, in a table without row numbers", arguments: Kind.allCases)
    func compositeKey(kind: Kind) throws {
        let db = try RecordScratch(kind).open()
        var tag = Tag(weight: 0.5, name: "noir", movie: 1)
        #expect(try db.insert(tag) == tag)
        try db.insert(Tag(weight: 1, name: "noir", movie: 2))
        tag.weight = 2.5
        try db.update(tag)
        try db.upsert(Tag(weight: nil, name: "new", movie: 1))
        tag.weight = nil
        #expect(try db.save(tag) == tag)
        #expect(try db.delete(Tag(name: "new", movie: 1)))
        let rows = try db.decode(
            Tag.self, "SELECT * FROM \(try db.readable("tag")) ORDER BY movie")
        #expect(rows == [tag, Tag(weight: 1, name: "noir", movie: 2)])
    }

    struct Named: Record, Equatable {
        static let table = "movie"
        static let primaryKey = ["name"]
        var title: String
    }

    struct Keyless: Record {
        static let table = "movie"
        static let primaryKey: [String] = []
        var title: String
    }

    @Test("A type whose key it does not have is refused by name", arguments: Kind.allCases)
    func strangeKey(kind: Kind) throws {
        let db = try RecordScratch(kind).open()
        let error = Refusal.error(.misuse) { try db.update(Named(title: "M")) }
        #expect(error?.message == "Named encodes no name, which is its key")
        Refusal.expect(.misuse) { try db.delete(Keyless(title: "M")) }
        #expect(try db.insert(Named(title: "M")).title == "M")
    }

    // MARK: Tables

    struct Stranger: Record {
        static let table = "movie"
        var id: Int64?
        var titel: String
        var yeer: Int
    }

    struct Nowhere: Record { var id: Int64? }

    @Test("Properties without columns are refused together, and so is a missing table") func misfits() throws {
        let db = try RecordScratch(.plain).open()
        let error = Refusal.error(.recordMisfit) { try db.insert(Stranger(titel: "M", yeer: 1)) }
        #expect(
            error?.message
                == "Stranger does not fit table movie: it has no column for titel, yeer")
        #expect(error?.hint == "its columns are id, title, year, note")
        let missing = Refusal.error(.recordMisfit) { try db.insert(Nowhere()) }
        #expect(missing?.message == "there is no table nowhere for Nowhere")
    }

    @Test("A column that is added or sealed between two calls changes nothing")
    func schemaChanges() throws {
        let scratch = try RecordScratch(.plain)
        let db = try scratch.open()
        let row = try db.insert(Self.metropolis)
        try db.execute("ALTER TABLE movie ADD COLUMN stars INTEGER")
        try db.update(row)
        try db.protect("title", of: "movie", keys: scratch.workbench.keys, mode: .random, padding: .none, batch: 10)
        var changed = row
        changed.title = "M"
        try db.update(changed)
        try db.insert(Movie(title: "after"))
        #expect(try db.movies() == [changed, Movie(id: 2, title: "after")])
        #expect(try db.value("SELECT typeof(title) FROM movie LIMIT 1") == "blob")
    }

    @Test("Without its keys a table with sealed columns is refused")
    func withoutKeys() throws {
        let scratch = try RecordScratch(.sealed)
        let db = try scratch.workbench.open([])
        Refusal.expect(.keyUnavailable) { try db.insert(Self.metropolis) }
    }

    // MARK: Stores

    @Test("A store does the same, and each call is durable", arguments: Kind.allCases)
    func store(kind: Kind) async throws {
        let scratch = try RecordScratch(kind)
        let store = try scratch.openStore()
        var row = try await store.insert(Self.metropolis)
        try await store.insert(all: [Movie(title: "M"), Movie(title: "N")])
        row.note = "1"
        try await store.update(row)
        try await store.upsert(Movie(id: 2, title: "O"))
        let saved = try await store.save(Movie(title: "P"))
        #expect(saved.id == 4)
        #expect(try await store.delete(saved))
        var changed = row
        changed.year = 3
        #expect(try await store.updateChanges(changed, from: row))
        try await store.close()
        let titles = try scratch.open().movies().map { "\($0.title) \($0.year ?? 0)" }
        #expect(titles == ["Metropolis 3", "O 0", "N 0"])
    }
}
