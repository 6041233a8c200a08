#if Foundation
import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Which index a column has.
enum FormIndex: CaseIterable { case none, first, second }

/// A table of values in every form, beside a model in Swift: what is read, and the form in which it would be written.
struct FormTable<Element: Codable & Sendable & Equatable>: ~Copyable {
    typealias Item = FormedItem<Element>

    /// A row as the model knows it.
    struct Row {
        let id: Int64
        /// What is read from the value in the form in which it is written.
        let value: Element
        let written: Value
    }

    let db: Connection
    let rows: [Row]
    private(set) var wrong: [String] = []

    init(_ count: Int, _ index: FormIndex, _ random: inout SplitMix64, _ stored: (inout SplitMix64) -> Value) throws {
        let db = try Connection.inMemory()
        try db.run(
            script: """
                CREATE TABLE item (id INTEGER PRIMARY KEY, x, note INTEGER NOT NULL DEFAULT 0)
                """)
        if index == .first { try db.execute("CREATE INDEX item_x ON item (x)") }
        if index == .second { try db.execute("CREATE INDEX item_note ON item (note, x)") }
        for id in 0..<Int64(count) {
            try db.execute("INSERT INTO item VALUES (?, ?, 0)", id, stored(&random))
        }
        var rows: [Row] = []
        for item in try db.decode(Item.self, "SELECT * FROM item ORDER BY id") {
            rows.append(try Self.row(item.id, item.x, db))
        }
        self.rows = rows
        self.db = db
    }

    private static func row(
        _ id: Int64, _ value: Element, _ db: borrowing Connection
    ) throws -> Row {
        let value = try read(RowSink.stored(value, as: "x", of: Item.self), db)
        return Row(
            id: id, value: value, written: try RowSink.stored(value, as: "x", of: Item.self))
    }

    private static func read(_ value: Value, _ db: borrowing Connection) throws -> Element {
        let item = try db.decode(Item.self, "SELECT 0 AS id, \(value) AS x, 0 AS note").first
        return try #require(item).x
    }

    /// Compares the rows that a condition selects with those that it should.
    mutating func expect(
        _ what: String, _ model: (Row) -> Bool, _ condition: (Columns<Item>) -> Condition<Item>
    ) throws {
        let wanted = rows.filter(model).map(\.id)
        let made = condition(Columns())
        for (how, ids) in [
            ("deleted", try deleted(made)), ("updated", try updated(made)),
            ("read", try db.all(Item.self, where: { _ in made }).map(\.id).sorted()),
        ] where ids != wanted {
            wrong.append("\(what): \(how) \(ids.count) rows instead of \(wanted.count)")
        }
        let count = try db.read { db in try db.count(Item.self, where: { _ in made }) }
        if count != wanted.count { wrong.append("\(what): counted \(count)") }
    }

    private func deleted(_ condition: Condition<Item>) throws -> [Int64] {
        var left: Set<Int64> = []
        try? db.write { db in
            try db.delete(Item.self, where: { _ in condition })
            left = Set(try db.query("SELECT id FROM item") { row in try row[0] as Int64 })
            throw Stop()
        }
        return rows.map(\.id).filter { !left.contains($0) }
    }

    private func updated(_ condition: Condition<Item>) throws -> [Int64] {
        var ids: [Int64] = []
        try? db.write { db in
            try db.update(Item.self, set: { [$0.note.set(to: 1)] }, where: { _ in condition })
            ids = try db.query("SELECT id FROM item WHERE note = 1 ORDER BY id") { row in
                try row[0] as Int64
            }
            throw Stop()
        }
        return ids
    }

    /// Compares equality with some of the values.
    mutating func expectEquality(_ probes: Int, _ random: inout SplitMix64) throws {
        for _ in 0..<probes {
            let (one, other) = (probe(&random), probe(&random))
            try expect("==", { $0.written == one.written }) { $0.x == one.value }
            try expect("!=", { $0.written != one.written }) { !($0.x == one.value) }
            try expect("in", { [one.written, other.written].contains($0.written) }) {
                $0.x.in([one.value, other.value])
            }
            let many = (0..<12).map { _ in probe(&random) }
            try expect("! in", { row in !many.contains { $0.written == row.written } }) {
                !$0.x.in(many.map(\.value))
            }
            // The value that a row was read with, before it is written.
            let raw = try db.first(Item.self, where: { $0.id == one.id })
            let value = try #require(raw).x
            try expect("== as read", { $0.written == one.written }) { $0.x == value }
        }
    }

    /// Compares the order of rows.
    mutating func expectOrder(_ precedes: (Element, Element) -> Bool) throws {
        let sorted = rows.sorted { one, other in
            one.written == other.written
                ? one.id < other.id : precedes(one.value, other.value)
        }
        let ascending = try db.all(
            Item.self, orderBy: { [$0.x.ascending, $0.id.ascending] }
        ).map(\.id)
        if ascending != sorted.map(\.id) { wrong.append("ascending") }
        for limit in [1, 7] {
            let first = try db.read { db in
                try db.all(Item.self, orderBy: { [$0.x.descending, $0.id.descending] }, limit: limit)
            }
            if first.map(\.id) != sorted.reversed().prefix(limit).map(\.id) {
                wrong.append("descending, the first \(limit)")
            }
        }
    }

    func probe(_ random: inout SplitMix64) -> Row {
        rows[Int.random(in: 0..<rows.count, using: &random)]
    }
}

extension FormTable where Element: SortableColumnValue & Comparable {
    mutating func expectRanges(_ probes: Int, _ random: inout SplitMix64) throws {
        for _ in 0..<probes {
            let (one, other) = (probe(&random), probe(&random))
            try expect("<", { $0.value < one.value }) { $0.x < one.value }
            try expect("<=", { $0.value <= one.value }) { $0.x <= one.value }
            try expect(">", { $0.value > one.value }) { $0.x > one.value }
            try expect(">=", { $0.value >= one.value }) { $0.x >= one.value }
            let (low, high) = (min(one.value, other.value), max(one.value, other.value))
            try expect("between", { (low...high).contains($0.value) }) {
                $0.x.between(low, high)
            }
            try expect("! between", { !(low...high).contains($0.value) }) {
                !$0.x.between(low, high)
            }
            try expect("<, >=", { $0.value < high && $0.value >= low }) {
                $0.x >= low && $0.x < high
            }
        }
    }
}
#endif
