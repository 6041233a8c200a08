import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Pages of records, by key and by offset")
struct RecordPageTests {
    struct Item: Record, Equatable {
        static let primaryKey = ["shop", "number"]
        var shop: String
        var number: Int
        var price: Int?
        var rank: Int
        var label: String
    }

    private static func items(_ random: inout SplitMix64) -> [Item] {
        (0..<57).map { number in
            Item(
                shop: ["a", "B", "é"][Int(random.next() % 3)], number: number,
                price: random.next() % 3 == 0 ? nil : Int(random.next() % 4),
                rank: Int(random.next() % 5), label: "label \(random.next() % 3)")
        }
    }

    private static func database(_ items: [Item]) throws -> Connection {
        let db = try Connection.inMemory()
        try db.run(
            script: """
                CREATE TABLE item (shop TEXT NOT NULL, number INTEGER NOT NULL, price INTEGER, rank INTEGER NOT NULL,
                    label TEXT NOT NULL COLLATE NOCASE, PRIMARY KEY (shop, number)) WITHOUT ROWID;
                CREATE INDEX item_rank ON item (rank, shop, number);
                """)
        try db.insert(all: items)
        return db
    }

    typealias Order = @Sendable (Columns<Item>) -> [Ordering<Item>]
    private static let orders: [(String, Order)] = [
        ("none", { _ in [] }),
        ("NULLs first", { [$0.price.ascending] }),
        ("NULLs last", { [$0.price.descending] }),
        ("two", { [$0.rank.descending, $0.price.ascending] }),
        ("three", { [$0.price.descending, $0.label.ascending, $0.rank.descending] }),
        ("a part of the key", { [$0.number.descending] }),
    ]

    @Test("One page after another gives every row once, in the order of the whole")
    func pages() throws {
        var random = SplitMix64(stream: 1)
        let db = try Self.database(Self.items(&random))
        for (name, order) in Self.orders {
            let whole = try db.all(
                Item.self, where: { $0.rank < 4 }, orderBy: { order($0) + [$0.shop.ascending, $0.number.ascending] })
            for limit in [1, 7, 100] {
                var all: [Item] = []
                var page = try db.page(Item.self, where: { $0.rank < 4 }, orderBy: order, limit: limit)
                while let last = page.last {
                    #expect(page.count <= limit)
                    all += page
                    page = try db.page(Item.self, where: { $0.rank < 4 }, orderBy: order, limit: limit, after: last)
                }
                #expect(all == whole, "\(name), \(limit)")
                let parts = try stride(from: 0, to: whole.count + limit, by: limit).flatMap {
                    try db.all(
                        Item.self, where: { $0.rank < 4 },
                        orderBy: { order($0) + [$0.shop.ascending, $0.number.ascending] }, limit: limit, offset: $0)
                }
                #expect(parts == whole, "\(name), \(limit)")
            }
        }
    }

    @Test("Rows that others delete and insert meanwhile hide none that stay, which an offset does")
    func meanwhile() throws {
        var random = SplitMix64(stream: 2)
        let items = Self.items(&random)
        let db = try Self.database(items)
        let first = try db.page(Item.self, orderBy: { [$0.rank.ascending] }, limit: 10)
        let last = try #require(first.last)
        for item in first { try db.delete(item) }
        let rest = try db.page(Item.self, orderBy: { [$0.rank.ascending] }, limit: 100, after: last)
        #expect(rest.count == items.count - first.count)
        // The control.
        let skipped = try db.all(Item.self, orderBy: { [$0.rank.ascending] }, offset: 10)
        #expect(skipped.count == rest.count - 10)
    }

    @Test("An index finds where a page begins")
    func plan() throws {
        var random = SplitMix64(stream: 3)
        let db = try Self.database(Self.items(&random))
        let query = try RecordQuery(
            pageOf: 5, nil, orderBy: { (columns: Columns<Item>) in [columns.rank.ascending] },
            after: Item(shop: "a", number: 1, price: nil, rank: 2, label: ""))
        let sql = try query.selection(db)
        let plan = try db.query("EXPLAIN QUERY PLAN \(sql)") { row in try row[3] as String }
        #expect(plan.contains { $0.contains("SEARCH") && $0.contains("item_rank") }, "\(plan)")
        #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }

    @Test("A negative limit or offset, and a sealed column in the order, are errors")
    func refused() throws {
        let db = try Self.database([])
        Refusal.expect(.misuse) { _ = try db.page(Item.self, limit: -1) }
        Refusal.expect(.misuse) { _ = try db.all(Item.self, offset: -1) }
        #expect(try db.all(Item.self, offset: .max) == [])
        let sealed = try ConditionScratch(.sealed).open()
        let film = try #require(ConditionScratch.films.first)
        Refusal.expect(.misuse) {
            _ = try sealed.page(ConditionScratch.Film.self, orderBy: { [$0.likes.ascending] }, limit: 3, after: film)
        }
    }
}
