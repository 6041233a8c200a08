import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Two tables that agree after every commit, so that a copy mixing two moments is detected.
enum Account {
    static func create(_ store: Store, rows: Int = 0) throws {
        try store.blocking.write { connection in
            try connection.execute("CREATE TABLE total (n INTEGER NOT NULL)")
            try connection.execute("INSERT INTO total VALUES (0)")
            try connection.execute("CREATE TABLE entry (n INTEGER NOT NULL, body BLOB NOT NULL)")
        }
        if rows > 0 { try add(rows, to: store) }
    }

    /// Adds entries, and adds their number to the total.
    static func add(_ rows: Int, to store: Store, size: Int = 100) throws {
        try store.blocking.write { connection in
            let insert = try connection.prepare("INSERT INTO entry VALUES (?, randomblob(?))")
            for number in 0..<rows { try insert.run(number, size) }
            try connection.execute("UPDATE total SET n = n + ?", rows)
        }
    }

    /// The total, after comparing it with the entries.
    static func total(
        _ connection: borrowing Connection, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Int {
        let total: Int = try connection.value("SELECT n FROM total") ?? -1
        let entries: Int? = try connection.value("SELECT count(*) FROM entry")
        #expect(entries == total, sourceLocation: sourceLocation)
        return total
    }
}
