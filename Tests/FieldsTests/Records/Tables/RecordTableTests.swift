import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("What a connection knows of a record's table follows the schema")
struct RecordTableTests {
    private struct Starred: Record, Equatable {
        static let table = "movie"
        var id: Int64?
        var title: String
        var stars: Int?
    }

    private static let column: SQL = "ALTER TABLE movie ADD COLUMN stars INTEGER"
    private static let starred = Starred(title: "M", stars: 3)

    @Test("Within a transaction, and when a part of it is undone")
    func withinTransaction() throws {
        let db = try RecordScratch(.plain).open()
        try db.write { db in
            Refusal.expect(.recordMisfit) { try db.insert(Self.starred) }
            #expect(try db.all(Starred.self).isEmpty)
            #expect(throws: Stop.self) {
                try db.savepoint { db in
                    try db.execute(Self.column)
                    #expect(try db.insert(Self.starred).stars == 3)
                    #expect(try db.count(Starred.self, where: { $0.stars == 3 }) == 1)
                    throw Stop()
                }
            }
            Refusal.expect(.recordMisfit) { try db.insert(Self.starred) }
            Refusal.expect(.recordMisfit) {
                _ = try db.count(Starred.self, where: { $0.stars == 3 })
            }
            let statement = try db.prepare(Self.column)
            Refusal.expect(.recordMisfit) { try db.insert(Self.starred) }
            try statement.run()
            #expect(try db.insert(Self.starred).stars == 3)
        }
        #expect(try db.find(Starred.self, 1)?.stars == 3)
    }

    @Test("When a transaction is undone, and when another connection changes it") func betweenTransactions() throws {
        let scratch = try RecordScratch(.plain)
        let db = try scratch.open()
        #expect(throws: Stop.self) {
            try db.write { db in
                try db.execute(Self.column)
                try db.insert(Self.starred)
                throw Stop()
            }
        }
        try db.write { db in
            Refusal.expect(.recordMisfit) { try db.insert(Self.starred) }
            try db.insert(Movie(title: "before"))
        }
        let other = try scratch.open()
        try other.execute(Self.column)
        try other.protect("title", of: "movie", keys: scratch.workbench.keys, mode: .random, padding: .none, batch: 10)
        try db.write { db in
            try db.insert(Self.starred)
            #expect(try db.all(Starred.self, orderBy: { [$0.id.ascending] }).count == 2)
        }
        #expect(try db.value("SELECT count(*) FROM movie WHERE typeof(title) = 'blob'") == 2)
    }
}
