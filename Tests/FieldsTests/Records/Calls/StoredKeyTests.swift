#if Foundation
import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Rows are found by their key in whatever form it is stored")
struct StoredKeyTests {
    struct Item: Record, Equatable {
        var id: UUID
        var name: String
    }

    struct Price: Record, Equatable {
        static let primaryKey = ["shop", "amount", "at"]
        var shop: Int
        var amount: Decimal
        var at: Date
        var note: String
    }

    private static let lower = "5f0c8a2e-3b64-4b7a-9c0e-1d2f3a4b5c6d"

    private func items() throws -> Connection {
        let db = try Connection.inMemory()
        try db.run(
            script: """
                CREATE TABLE item (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL);
                INSERT INTO item VALUES ('\(Self.lower)', 'one'), ('0', 'none');
                """)
        return db
    }

    private func names(_ db: borrowing Connection) throws -> [String] {
        try db.query("SELECT id || ' ' || name FROM item ORDER BY id") { row in try row[0] }
    }

    @Test("A UUID in lower case is found, changed and deleted")
    func uuids() throws {
        let db = try items()
        let id = try #require(UUID(uuidString: Self.lower))
        var item = try #require(try db.find(Item.self, id))
        #expect(item == Item(id: id, name: "one"))
        item.name = "two"
        try db.update(item)
        #expect(try names(db) == ["0 none", "\(Self.lower) two"])
        item.name = "three"
        try db.upsert(item)
        #expect(try names(db) == ["0 none", "\(Self.lower) three"])
        let before = item
        item.name = "four"
        #expect(try db.save(item) == item)
        #expect(try db.updateChanges(item, from: before))
        #expect(try names(db) == ["0 none", "\(Self.lower) four"])
        #expect(try db.count(Item.self, where: { $0.id == id }) == 1)
        #expect(try db.delete(item))
        #expect(try names(db) == ["0 none"])
        #expect(try !db.delete(item))
        #expect(try db.find(Item.self, id) == nil)
        Refusal.expect(.rowMissing) { try db.update(item) }
        try db.upsert(item)
        #expect(try names(db) == ["0 none", "\(id.uuidString) four"])
    }

    @Test("A key that a row stores in another form is not inserted a second time")
    func inserted() throws {
        let db = try items()
        let item = Item(id: try #require(UUID(uuidString: Self.lower)), name: "new")
        let before = try names(db)
        let error = Refusal.error(.constraint) { try db.insert(item) }
        #expect(error?.context.column == "id" && error?.hint?.contains("upsert") == true)
        let other = Item(id: UUID(), name: "other")
        Refusal.expect(.constraint) { try db.insert(all: [other, item]) }
        #expect(try names(db) == before)
        try db.insert(all: [other])
        #expect(try names(db).count == before.count + 1)
    }

    @Test("Two rows with one key in different forms are refused, and neither changes") func ambiguous() throws {
        let db = try items()
        let item = Item(id: try #require(UUID(uuidString: Self.lower)), name: "new")
        try db.execute("INSERT INTO item VALUES (?, 'new')", item.id.uuidString)
        let before = try names(db)
        func expectRefusal(_ body: () throws -> Void) {
            let error = Refusal.error(.recordMisfit, body)
            #expect(error?.hint?.contains("`-- lockstep: normalise item.id as uuid`") == true)
            #expect(error?.context.table == "item")
        }
        expectRefusal { try db.update(item) }
        expectRefusal { try db.upsert(item) }
        expectRefusal { try db.save(item) }
        expectRefusal { try db.delete(item) }
        expectRefusal { _ = try db.find(Item.self, item.id) }
        #expect(try names(db) == before)
        #expect(try db.count(Item.self, where: { $0.id == item.id }) == 2)
    }

    @Test("A UUID with letters of both cases is not read")
    func bothCases() throws {
        let db = try items()
        let mixed = Self.lower.replacing("f", with: "F")
        try db.execute("UPDATE item SET id = \(mixed) WHERE name = 'one'")
        let error = Refusal.error(.decodeMismatch) { _ = try db.all(Item.self) }
        #expect(error?.message.contains("a UUID in upper or in lower case") == true)
    }

    @Test("A key of several columns, of which some have several forms")
    func several() throws {
        let db = try Connection.inMemory()
        try db.run(
            script: """
                CREATE TABLE price (shop INTEGER, amount TEXT, at TEXT, note TEXT NOT NULL,
                    PRIMARY KEY (shop, amount, at)) WITHOUT ROWID;
                INSERT INTO price VALUES (1, '1.50', '2026-11-23 20:00:00', 'a'),
                    (1, '1.51', '2026-11-23 20:00:00', 'b'), (2, '1.50', '2026-11-23', 'c');
                """)
        for var price in try db.all(Price.self) {
            #expect(try db.find(Price.self, price.shop, price.amount, price.at) == price)
            price.note += "2"
            try db.update(price)
            #expect(try db.save(price) == price)
        }
        let notes = try db.query(
            "SELECT shop || amount || at || note FROM price ORDER BY shop, amount"
        ) { row in try row[0] as String }
        #expect(notes == ["11.502026-11-23 20:00:00a2", "11.512026-11-23 20:00:00b2", "21.502026-11-23c2"])
        for price in try db.all(Price.self) { #expect(try db.delete(price)) }
        #expect(try db.count(Price.self) == 0)
    }
}
#endif
