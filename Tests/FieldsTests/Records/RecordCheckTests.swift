import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Record types are compared with the schema")
struct RecordCheckTests {
    typealias Kind = RecordScratch.Kind

    struct Odd: Record {
        static let table = "movie"
        var id: Int64?
        var title: String?
        var yeer: Int
        var note: String
        var year: String?
    }

    @Test("A type that fits passes, plain and sealed", arguments: Kind.allCases)
    func fits(kind: Kind) async throws {
        let scratch = try RecordScratch(kind)
        let db = try scratch.open()
        try db.check(Movie.self, RecordChangesTests.Tag.self, RecordChangesTests.Counted.self)
        // Its own coding leaves nil out, so that the column's default counts.
        try db.check(RecordChangesTests.Liked.self)
        try db.check(all: [])
        let store = try scratch.openStore()
        try await store.check(Movie.self)
        try await store.check(all: [Movie.self, RecordChangesTests.Tag.self])
        try await store.close()
    }

    @Test("Everything that does not fit is named at once", arguments: Kind.allCases)
    func misfits(kind: Kind) throws {
        let db = try RecordScratch(kind).open()
        let error = Refusal.error(.recordMisfit) { try db.check(Movie.self, Odd.self) }
        #expect(
            error?.message == """
                Odd does not fit table movie: title may be nil, and its column is NOT NULL; \
                yeer has no column; note cannot be nil, and its column may be NULL; \
                year is of type String, and its column stores numbers
                """)
        #expect(error?.hint == "its columns are id, title, year, note")
        #expect(error?.context.table == "movie")
        #expect(error?.context.missing == .init(.column, "yeer"))
    }

    /// Its coding is Swift's own, which writes nil as NULL.
    struct Plain: Record {
        static let table = "counted"
        var id: Int64?
        var title: String
        var likes: Int?
    }

    enum Kindness: String, Codable { case kind }

    struct Picky: Record {
        static let table = "counted"
        var id: Int64?
        var title: Kindness
        var likes: Int?
    }

    @Test("A default does not help a nil, which is written as NULL", arguments: Kind.allCases)
    func defaults(kind: Kind) throws {
        let db = try RecordScratch(kind).open()
        let expected = """
            does not fit table counted: likes may be nil, which is written as NULL, and its column \
            is NOT NULL: its default is for records that do not encode it
            """
        let error = Refusal.error(.recordMisfit) { try db.check(Plain.self) }
        #expect(error?.message == "Plain \(expected)")
        // Through a readable view a NULL is as a column that is left out.
        if kind == .plain { Refusal.expect(.constraint) { try db.insert(Plain(title: "a")) } }
        // No value of it can be made up.
        let other = Refusal.error(.recordMisfit) { try db.check(Picky.self) }
        #expect(other?.message == "Picky \(expected)")
        try db.check(RecordChangesTests.Liked.self)
        try db.insert(RecordChangesTests.Liked(title: "a"))
        try db.check(RecordChangesTests.Liked.self)
        Refusal.expect(.recordMisfit) { try db.check(Plain.self) }
    }

    struct Nowhere: Record { var id: Int64? }

    @Test("Several types are reported together")
    func several() throws {
        let db = try RecordScratch(.plain).open()
        let error = Refusal.error(.recordMisfit) {
            try db.check(Nowhere.self, Movie.self, Odd.self)
        }
        let lines = error?.message.split(separator: "\n") ?? []
        #expect(lines.count == 2)
        #expect(lines.first == "there is no table nowhere for Nowhere")
        #expect(lines.last?.hasPrefix("Odd does not fit table movie") == true)
    }

    struct Partial: Record {
        static let table = "movie"
        static let primaryKey = ["number"]
        var year: Int?
    }

    struct Wrong: Record {
        static let table = "counted"
        enum Mood: String, Codable { case calm }
        var id: String
        var title: Int
        var likes: Mood
        var size: Double?
    }

    @Test("A column that an insert needs, a key without a column, and other types")
    func needs() throws {
        let db = try RecordScratch(.plain).open()
        let partial = Refusal.error(.recordMisfit) { try db.check(Partial.self) }
        #expect(
            partial?.message == """
                Partial does not fit table movie: column title is NOT NULL without a default, \
                and has no property; its key number has no column
                """)
        let wrong = Refusal.error(.recordMisfit) { try db.check(Wrong.self) }
        #expect(
            wrong?.message == """
                Wrong does not fit table counted: id is of type String, and its column stores \
                numbers; title is of type Int, and its column stores texts; likes is of type \
                Mood, and its column stores numbers
                """)
        // A cell keeps its value's type, so that the table's own column says nothing.
        let sealed = try RecordScratch(.sealed).open()
        let error = Refusal.error(.recordMisfit) { try sealed.check(Wrong.self) }
        #expect(error?.message.contains("title") == false)
    }

    // MARK: Names

    struct Renamed: Record, Equatable {
        static let table = "movie"
        static var columns: [PartialKeyPath<Self>: String] { [\.released: "year"] }
        enum CodingKeys: String, CodingKey { case id, title, note, released = "year" }
        var id: Int64?
        var title: String
        var released: Int?
        var note: String?
        var cache: [Int] = []
    }

    struct Undeclared: Record {
        static let table = "movie"
        enum CodingKeys: String, CodingKey { case id, title, released = "year" }
        var id: Int64?
        var title: String
        var released: Int?
    }

    struct Misdeclared: Record {
        static let table = "movie"
        static var columns: [PartialKeyPath<Self>: String] { [\.note: "year"] }
        enum CodingKeys: CodingKey { case id, title, note }
        var id: Int64?
        var title: String
        var note: String?
    }

    @Test("Coding keys that rename need a declaration, and properties that are not coded none") func names() throws {
        let db = try RecordScratch(.plain).open()
        try db.check(Renamed.self)
        let error = Refusal.error(.recordMisfit) { try db.check(Undeclared.self) }
        #expect(
            error?.message == """
                Undeclared does not fit table movie: year is a coding key, and `columns` does not \
                say of which property, released
                """)
        let other = Refusal.error(.recordMisfit) { try db.check(Misdeclared.self) }
        #expect(
            other?.message.hasSuffix(
                "its `columns` declare year, which is none of its coding keys") == true)
    }

    @propertyWrapper struct Trimmed: Codable, Sendable {
        var wrappedValue: String
        init(wrappedValue: String) { self.wrappedValue = wrappedValue }
        init(from decoder: any Decoder) throws {
            wrappedValue = try decoder.singleValueContainer().decode(String.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(wrappedValue)
        }
    }

    struct Wrapped: Record {
        static let table = "movie"
        static var columns: [PartialKeyPath<Self>: String] { [\.title: "title"] }
        var id: Int64?
        @Trimmed var title: String
    }

    struct WrappedElsewhere: Record {
        static let table = "seen"
        static var columns: [PartialKeyPath<Self>: String] { [\.title: "title"] }
        @Trimmed var title: String
    }

    @Test("A property with a wrapper needs a declaration")
    func wrapped() throws {
        let db = try RecordScratch(.plain).open()
        try db.check(Wrapped.self)
        try db.insert(Wrapped(id: 1, title: "M"))
        #expect(try db.first(Wrapped.self, where: { $0.title == "M" })?.title == "M")
        try db.run(script: "CREATE VIEW seen AS SELECT 1 AS id")
        let error = Refusal.error(.recordMisfit) { try db.check(WrappedElsewhere.self) }
        #expect(
            error?.message.contains("its `columns` declare title, which is no column") == true)
    }

    enum Only: String, Codable { case one }

    /// A type whose decoding refuses values that are made up, one that is coded by hand, and properties without a size.
    struct Strict: Record {
        static let table = "strict"
        var kind: Only
        var id: Int64?
        var other: Only?
        var day: Date
    }

    struct Single: Record {
        static let table = "strict"
        var id: Int64?
        init(from decoder: any Decoder) throws { throw Stop() }
        func encode(to encoder: any Encoder) throws { throw Stop() }
    }

    @Test("No value is made to find the names")
    func withoutValues() throws {
        let db = try Connection.inMemory()
        try db.run(
            script: """
                CREATE TABLE strict (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, other TEXT,
                    day TEXT NOT NULL);
                CREATE VIEW seen AS SELECT id, kind FROM strict;
                """)
        try db.check(Strict.self)
        let properties = RecordProperties.of(Strict.self)
        #expect(properties.all.map(\.name) == ["kind", "id", "other", "day"])
        #expect(try properties.column(\Strict.kind) == "kind")
        #expect(try properties.column(\Strict.id) == "id")
        let single = Refusal.error(.recordMisfit) { try db.check(Single.self) }
        #expect(single?.message.contains("column kind is NOT NULL without a default") == true)
    }

    struct Seen: Record {
        var id: Int64
        var kind: String
    }

    final class Shared: Record {
        static let table = "seen"
        static var columns: [PartialKeyPath<Shared>: String] { [\.id: "id"] }
        let id: Int64
        let kind: String
        init() { (id, kind) = (1, "") }
    }

    @Test("Of a view only the names are compared; the properties of a class need a declaration")
    func viewsAndClasses() throws {
        let db = try Connection.inMemory()
        try db.run(script: "CREATE VIEW seen AS SELECT 1 AS id, 'a' AS kind")
        try db.check(Seen.self)
        try db.check(Shared.self)
        let properties = RecordProperties.of(Shared.self)
        #expect(try properties.column(\Shared.id) == "id")
        let error = Refusal.error(.recordMisfit) { _ = try properties.column(\Shared.kind) }
        #expect(error?.hint?.contains("static var columns") == true)
    }

    struct Twins: Record {
        var first: Only
        var second: Only
        var watched: Int { didSet {} }
        var both: Int { watched }
    }

    @Test("A property whose place is not its own is an error, and never another column") func ambiguous() {
        let properties = RecordProperties.of(Twins.self)
        Refusal.expect(.recordMisfit) { _ = try properties.column(\Twins.first) }
        Refusal.expect(.recordMisfit) { _ = try properties.column(\Twins.watched) }
        Refusal.expect(.recordMisfit) { _ = try properties.column(\Twins.both) }
    }

    @Test("Without its keys a table with sealed columns is refused")
    func withoutKeys() throws {
        let db = try RecordScratch(.sealed).workbench.open([])
        Refusal.expect(.keyUnavailable) { try db.check(Movie.self) }
    }
}
