import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Records that no row can hold")
final class RecordRefusalTests {
    private let db: Connection

    init() throws {
        db = try Connection.inMemory()
        try db.run(script: "CREATE TABLE box (id INTEGER PRIMARY KEY, x)")
    }

    private func refused(
        _ value: some Codable & Sendable & Equatable, _ message: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let before = try db.value("SELECT count(*) FROM box", as: Int.self)
        let error = Refusal.error(.bindMismatch, sourceLocation: location) {
            try db.insert(Box(id: 1, x: value))
        }
        #expect(error?.message.contains(message) == true, sourceLocation: location)
        Refusal.expect(.bindMismatch, sourceLocation: location) {
            try db.insert(all: [Box(id: 2, x: value)])
        }
        let after = try db.value("SELECT count(*) FROM box", as: Int.self)
        #expect(before == after, sourceLocation: location)
    }

    /// Encodes itself in ways that no column has.
    private struct Strange: Codable, Equatable {
        func encode(to encoder: any Encoder) throws {}
    }

    @Test("Values that no column can hold are refused by the property's name", .withFoundation)
    func unstorable() throws {
        try refused(UInt64(Int64.max) + 1, "x is out of the range of INTEGER")
        try refused(UInt.max, "x is out of the range of INTEGER")
        try refused(UInt64.max as UInt64?, "x is out of the range of INTEGER")
        try refused(Double.nan, "x is NaN")
        try refused(Date(timeIntervalSince1970: 1e12), "x is a date that its column cannot hold")
        try refused(Decimal.nan, "x is not a number")
        try refused(Strange(), "x encodes no value")
        try refused([Double.infinity], "x does not encode as JSON")
    }

    private struct Listed: Record {
        static let table = "box"
        var id: Int64?
        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(1)
        }
    }

    private struct Single: Record {
        static let table = "box"
        var id: Int64?
        func encode(to encoder: any Encoder) throws {
            var one = encoder.singleValueContainer()
            try one.encode(1)
        }
    }

    private struct Contained: Record {
        static let table = "box"
        var id: Int64?
        enum CodingKeys: CodingKey { case id, x }

        init() {}
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var nested = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .x)
            try nested.encode(1, forKey: .id)
            var list = container.nestedUnkeyedContainer(forKey: .x)
            try list.encode(1)
            var parent = container.superEncoder().singleValueContainer()
            try parent.encodeNil()
        }
    }

    private struct Empty: Record {
        static let table = "box"
        func encode(to encoder: any Encoder) throws {
            _ = encoder.container(keyedBy: Contained.CodingKeys.self)
        }
    }

    private struct Failing: Record {
        static let table = "box"
        func encode(to encoder: any Encoder) throws { throw Stop() }
    }

    @Test("Records that do not encode properties by name are refused, whatever they ask for")
    func unknownShapes() throws {
        let list = Refusal.error(.bindMismatch) { try db.insert(Listed()) }
        #expect(list?.message.contains("encodes itself as a list") == true)
        Refusal.expect(.bindMismatch) { try db.insert(Single()) }
        let contained = Refusal.error(.bindMismatch) { try db.insert(Contained()) }
        #expect(contained?.message.contains("x is encoded in a container of its own") == true)
        Refusal.expect(.bindMismatch) { try db.insert(Empty()) }
        #expect(throws: Stop.self) { try db.insert(Failing()) }
        #expect(try db.value("SELECT count(*) FROM box", as: Int.self) == 0)
    }

    /// Keeps its encoder, which must reach nothing after the record.
    private final class Keeper: Record {
        static let table = "box"
        let id: Int64?
        nonisolated(unsafe) static var kept: KeyedEncodingContainer<Contained.CodingKeys>?

        init(_ id: Int64?) { self.id = id }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Contained.CodingKeys.self)
            try container.encode(id, forKey: .id)
            Self.kept = container
        }
    }

    @Test("An encoder that a record keeps reaches no other row")
    func keptEncoder() throws {
        try db.insert(all: [Keeper(5), Keeper(nil)])
        var kept = try #require(Keeper.kept)
        try kept.encode(99, forKey: .x)
        #expect(try db.query("SELECT id, x FROM box", as: (Int, Int?).self).count == 2)
        #expect(try db.value("SELECT count(x) FROM box", as: Int.self) == 0)
    }
}
