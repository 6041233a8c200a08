#if Foundation
import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Values compare as they read, in whatever form they are stored")
struct FormConditionTests {
    private static let campaign = Campaign("FormConditionTests")
    private static let rows = Torture.isLong ? 20_000 : 100
    private static let probes = Torture.isLong ? 20 : 2

    enum Kind: CaseIterable {
        case date, seconds, milliseconds, microseconds, uuid, decimal, url, truth, float
    }

    /// What is wrong in tables of a kind.
    private func wrong(
        _ kind: Kind, _ index: FormIndex, _ random: inout SplitMix64
    ) throws -> [String] {
        switch kind {
        case .date: return try sortable(Date.self, index, &random, FormCases.date)
        case .uuid: return try sortable(UUID.self, index, &random, FormCases.uuid)
        case .float: return try sortable(Float.self, index, &random, FormCases.float)
        case .seconds:
            return try FormCases.$dates.withValue(.secondsSince1970) {
                try sortable(Date.self, index, &random, FormCases.seconds)
            }
        case .milliseconds:
            return try FormCases.$dates.withValue(.millisecondsSince1970) {
                try sortable(Date.self, index, &random, FormCases.milliseconds)
            }
        case .microseconds:
            return try FormCases.$dates.withValue(.microsecondsSince1970) {
                try sortable(Date.self, index, &random, FormCases.microseconds)
            }
        case .decimal:
            return try others(Decimal.self, index, &random, FormCases.decimal, <)
        case .url:
            return try others(URL.self, index, &random, FormCases.url) {
                Array($0.absoluteString.utf8).lexicographicallyPrecedes($1.absoluteString.utf8)
            }
        case .truth:
            return try others(Bool.self, index, &random, FormCases.truth) { !$0 && $1 }
        }
    }

    private func sortable<Element: Codable & SortableColumnValue & Comparable>(
        _ type: Element.Type, _ index: FormIndex, _ random: inout SplitMix64, _ stored: (inout SplitMix64) -> Value
    ) throws -> [String] {
        var table = try FormTable<Element>(Self.rows, index, &random, stored)
        try table.expectEquality(Self.probes, &random)
        try table.expectRanges(Self.probes, &random)
        try table.expectOrder(<)
        return table.wrong
    }

    private func others<Element: Codable & Sendable & Equatable>(
        _ type: Element.Type, _ index: FormIndex, _ random: inout SplitMix64,
        _ stored: (inout SplitMix64) -> Value, _ precedes: (Element, Element) -> Bool
    ) throws -> [String] {
        var table = try FormTable<Element>(Self.rows, index, &random, stored)
        try table.expectEquality(Self.probes, &random)
        try table.expectOrder(precedes)
        return table.wrong
    }

    @Test("Types, stored forms and operations agree with a model in Swift")
    func campaign() throws {
        guard let part = Self.campaign.begin() else { return }
        defer { part.end() }
        var random = SplitMix64(state: Torture.campaignSeed)
        let all = Kind.allCases.flatMap { kind in FormIndex.allCases.map { (kind, $0) } }
        var step = 0
        while part.goesOn(after: step, of: all.count) {
            let (kind, index) = all[step % all.count]
            let found = try wrong(kind, index, &random)
            #expect(found == [], "\(kind), index \(index), seed \(Torture.campaignSeed)")
            step += 1
        }
    }

    @Test(
        "Where values are compared as they are stored, the campaign finds it",
        arguments: Kind.allCases)
    func control(kind: Kind) throws {
        var random = SplitMix64(state: Torture.campaignSeed)
        let found = try FormedColumns.$isOff.withValue(true) { () throws -> [String] in
            try self.wrong(kind, .none, &random)
        }
        #expect(!found.isEmpty)
    }

    struct Event: Record {
        var id: Int64?
        var at: Date
        var name: String
    }

    @Test("Dates that SQLite or GRDB wrote beside Lockstep's")
    func mixedDates() throws {
        let db = try Connection.inMemory()
        try db.run(
            script: """
                CREATE TABLE event (id INTEGER PRIMARY KEY, at TEXT NOT NULL, name TEXT NOT NULL);
                INSERT INTO event (at, name) VALUES ('2026-11-23 20:00:00', 'evening');
                """)
        let morning = Date(timeIntervalSince1970: 1_795_420_800)
        try db.insert(Event(at: morning, name: "morning"))
        let noon = morning.addingTimeInterval(4 * 3600)
        let names = try db.all(Event.self, orderBy: { [$0.at.ascending] }).map(\.name)
        #expect(names == ["morning", "evening"])
        #expect(try db.all(Event.self, where: { $0.at > noon }).map(\.name) == ["evening"])
        let evening = try #require(try db.find(Event.self, 1))
        #expect(try db.count(Event.self, where: { $0.at == evening.at }) == 1)
        #expect(try db.delete(Event.self, where: { $0.at < noon }) == 1)
        #expect(try db.all(Event.self).map(\.name) == ["evening"])
    }

    @Test("What is not read satisfies no comparison")
    func unread() throws {
        let db = try Connection.inMemory()
        try db.run(
            script: """
                CREATE TABLE event (id INTEGER PRIMARY KEY, at, name TEXT);
                INSERT INTO event (at, name) VALUES ('2026-02-30', ''), (7, ''), ('yesterday', ''), (x'07', '');
                """)
        let date = Date(timeIntervalSince1970: 1_795_420_800)
        #expect(try db.count(Event.self, where: { $0.at < date || $0.at >= date }) == 0)
        #expect(try db.count(Event.self, where: { $0.at != date || $0.at == date }) == 0)
        #expect(try db.delete(Event.self, where: { !$0.at.in([date]) }) == 0)
    }
}
#endif
