#if Foundation
import Foundation
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("A column of one form is known as such in one state of the database") struct FormedColumnsTests {
    struct Event: Record, Equatable {
        var id: Int64?
        var at: Date
        var isRead = false
    }

    private static let morning = Date(timeIntervalSince1970: 1_795_420_800)
    private static let noon = morning.addingTimeInterval(4 * 3600)
    private static let evening = "INSERT INTO event (at) VALUES ('2026-11-23 20:00:00')"

    private func scratch() throws -> RecordScratch {
        let scratch = try RecordScratch(.plain)
        let db = try scratch.open()
        try db.run(
            script: """
                CREATE TABLE event (id INTEGER PRIMARY KEY, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
                    isRead INTEGER NOT NULL DEFAULT 0);
                """)
        try db.insert(
            all: (0..<100).map { Event(at: Self.morning.addingTimeInterval(Double($0))) })
        return scratch
    }

    private func isKnown(_ db: borrowing Connection) throws -> Bool {
        try db.recordSource(Event.self).forms.isOneForm("at", db)
    }

    /// Asks as often as it takes to learn of 100 rows.
    private func ask(_ db: borrowing Connection) throws {
        for _ in 0..<100 {
            let count = try db.count(Event.self, where: { $0.at < Self.noon })
            #expect(count == 100)
        }
    }

    @Test("What another connection writes a moment later counts")
    func others() throws {
        let scratch = try scratch()
        let one = try scratch.open()
        let other = try scratch.open()
        try one.read { (db) throws in
            try ask(db)
            #expect(try isKnown(db))
            try other.execute("\(verbatim: Self.evening)")
            // This transaction does not see it.
            #expect(try isKnown(db))
            #expect(try db.count(Event.self, where: { $0.at < Self.noon }) == 100)
        }
        try one.read { (db) throws in
            #expect(try db.count(Event.self, where: { $0.at < Self.noon }) == 100)
            #expect(try db.count(Event.self, where: { $0.at > Self.noon }) == 1)
            #expect(try !isKnown(db))
        }
        #expect(
            try one.write { db in try db.delete(Event.self, where: { $0.at < Self.noon }) }
                == 100)
    }

    @Test("So does what the transaction itself has changed, and what it undoes")
    func own() throws {
        let db = try scratch().open()
        try db.read { db in try ask(db) }
        try? db.write { (db) throws in
            #expect(try isKnown(db))
            try db.execute("\(verbatim: Self.evening)")
            #expect(try !isKnown(db))
            #expect(try db.count(Event.self, where: { $0.at < Self.noon }) == 100)
            throw Stop()
        }
        try db.execute("\(verbatim: Self.evening)")
        try? db.write { (db) throws in
            try db.execute("DELETE FROM event WHERE at LIKE '% %'")
            // All are of one form here; that is not learned, since it is undone.
            for _ in 0..<200 { #expect(try !isKnown(db)) }
            throw Stop()
        }
        try db.read { (db) throws in
            #expect(try db.count(Event.self, where: { $0.at < Self.noon }) == 100)
            for _ in 0..<200 { #expect(try !isKnown(db)) }
        }
    }

    @Test("A text that is overwritten in place counts, too")
    func inPlace() throws {
        let db = try scratch().open()
        try db.read { db in try ask(db) }
        try? db.write { (db) throws in
            #expect(try isKnown(db))
            try db.withBlob(BlobPlace(table: "event", column: "at", row: 1), .write) { text in
                try text.write([UInt8(ascii: " ")], at: 10)
            }
            #expect(try !isKnown(db))
            #expect(try db.count(Event.self, where: { $0.at == Self.morning }) == 1)
            throw Stop()
        }
    }

    @Test("Outside of a transaction nothing is known")
    func withoutTransaction() throws {
        let db = try scratch().open()
        for _ in 0..<200 { #expect(try !isKnown(db)) }
        #expect(try db.count(Event.self, where: { $0.at < Self.noon }) == 100)
    }

    @Test("Rows of one day are not read for the next one's first")
    func plan() throws {
        let db = try scratch().open()
        try db.run(script: "CREATE INDEX event_at ON event (at)")
        let later = Self.morning.addingTimeInterval(98.5)
        let index: (Columns<Event>) -> [Ordering<Event>] = { [$0.at.ascending] }
        #expect(try db.all(Event.self, where: { $0.at > later }).map(\.id) == [100])
        try db.execute("\(verbatim: Self.evening)")
        for limit in [1, 2, 3] {
            let found = try db.all(Event.self, where: { $0.at > later }, orderBy: index, limit: limit)
            #expect(found.map(\.id) == [100, 101].prefix(limit).map(Int64?.some))
        }
        #expect(try db.first(Event.self, orderBy: { [$0.at.descending] })?.id == 101)
    }

    @Test("All values are looked at, and counted", arguments: [false, true])
    func checkValues(isIndexed: Bool) throws {
        let db = try scratch().open()
        if isIndexed { try db.run(script: "CREATE INDEX event_at ON event (at)") }
        try db.checkValues(Event.self)
        try db.run(
            script: """
                \(Self.evening); \(Self.evening);
                INSERT INTO event (at, isRead) VALUES ('2026-02-30', 2), (7, 'x');
                """)
        let error = Refusal.error(.recordMisfit) { try db.checkValues(Event.self) }
        #expect(
            error?.message == """
                event.at stores 2 values in another form than the one that is written; \
                event.at has 2 values that Event does not read; \
                event.isRead stores 1 value in another form than the one that is written; \
                event.isRead has 1 value that Event does not read
                """)
        #expect(error?.hint == "in a migration, bring them to one form: `-- lockstep: normalise event.at as date`")
        #expect(error?.context.column == "at")
    }
}
#endif
