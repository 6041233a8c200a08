import Synchronization

@testable import EngineTestSupport
@testable import Lockstep

/// A database with many concurrent writers and readers, and the invariants that hold at every moment.
///
/// Accounts have a constant sum; entries are numbered without gaps; each writer has its own items and knows their
/// values. Marks follow from the other columns, so that a torn row is detected; a negative balance or number belongs to
/// a write that was undone.
struct StoreModel {
    static let accounts = 20
    static let total = accounts * 100

    static let script = """
        CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL);
        WITH RECURSIVE n (x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n LIMIT \(accounts))
            INSERT INTO account SELECT x, 100 FROM n;
        CREATE TABLE entry (
            number INTEGER PRIMARY KEY, writer INTEGER NOT NULL, place INTEGER NOT NULL,
            mark INTEGER NOT NULL, body BLOB);
        CREATE UNIQUE INDEX entry_place ON entry (writer, place);
        CREATE TABLE item (
            writer INTEGER, key INTEGER, value INTEGER NOT NULL, PRIMARY KEY (writer, key));
        CREATE TABLE nobody (id INTEGER PRIMARY KEY);
        CREATE TABLE orphan (id REFERENCES nobody (id) DEFERRABLE INITIALLY DEFERRED);
        """

    static func mark(_ number: Int, _ writer: Int, _ place: Int) -> Int {
        (number &* 1_000_003) ^ (writer &* 7919) ^ (place &* 31)
    }

    // MARK: Writing

    /// Moves an amount from one account to another.
    static func transfer(_ amount: Int, from: Int, to: Int) -> Part<Void> {
        { connection in
            try connection.execute("UPDATE account SET balance = balance - ? WHERE id = ?", amount, from)
            try connection.execute("UPDATE account SET balance = balance + ? WHERE id = ?", amount, to)
        }
    }

    /// Adds the next entry.
    static func append(writer: Int, place: Int, size: Int) -> Part<Void> {
        { connection in
            let number = 1 + (try connection.value("SELECT coalesce(max(number), 0) FROM entry") ?? 0)
            try connection.execute(
                "INSERT INTO entry VALUES (?, ?, ?, ?, zeroblob(?))", number, writer, place,
                mark(number, writer, place), size)
        }
    }

    /// Sets an item of a writer; nil removes it.
    static func set(_ value: Int?, at key: Int, writer: Int) -> Part<Void> {
        { connection in
            if let value {
                try connection.execute(
                    """
                    INSERT INTO item VALUES (?, ?, ?)
                    ON CONFLICT DO UPDATE SET value = excluded.value
                    """, writer, key, value)
            } else {
                try connection.execute(
                    "DELETE FROM item WHERE writer = ? AND key = ?", writer, key)
            }
        }
    }

    // MARK: Reading

    /// The content of one snapshot.
    struct Sight: Equatable {
        var total = 0
        var count = 0
        var last = 0
        var undone = 0
        var torn = 0
        var gaps = 0

        init(_ connection: borrowing Connection) throws {
            total = try connection.value("SELECT sum(balance) FROM account") ?? 0
            count = try connection.value("SELECT count(*) FROM entry") ?? 0
            last = try connection.value("SELECT coalesce(max(number), 0) FROM entry") ?? 0
            undone =
                try connection.value(
                    "SELECT (SELECT count(*) FROM item WHERE value < 0) + (SELECT count(*) FROM orphan)"
                )
                ?? -1
            // The newest ones: the others were newest at an earlier check.
            let newest = try connection.prepare(
                "SELECT number, writer, place, mark FROM entry ORDER BY number DESC LIMIT 50")
            try newest.forEach { row in
                let (number, writer, place, mark) = try row.columns(as: (Int, Int, Int, Int).self)
                if mark != StoreModel.mark(number, writer, place) { torn += 1 }
            }
            gaps =
                try connection.value(
                    """
                    SELECT count(*) FROM (
                        SELECT count(*) n, max(place) m FROM entry GROUP BY writer) WHERE n != m + 1
                    """) ?? -1
        }

        /// Whether the snapshot is consistent in itself.
        var isSound: Bool {
            total == StoreModel.total && count == last && undone == 0 && torn == 0 && gaps == 0
        }
    }

    /// Reads one snapshot twice.
    static let look: Part<(Sight, Sight)> = { connection in
        (try Sight(connection), try Sight(connection))
    }
}

/// The rows that one writer knows to be in the database.
struct WriterKnowledge {
    let writer: Int
    var places = 0
    var items: [Int: Int] = [:]

    /// Compares with the final content; nil if they are equal.
    func difference(_ connection: borrowing Connection) throws -> String? {
        let places = try connection.value("SELECT count(*) FROM entry WHERE writer = ?", writer, as: Int.self)
        guard places == self.places else {
            return "writer \(writer) has \(places ?? 0) entries instead of \(self.places)"
        }
        var found: [Int: Int] = [:]
        let statement = try connection.prepare("SELECT key, value FROM item WHERE writer = ?")
        try statement.forEach(writer) { row in found[try row[0]] = try row[1] }
        guard found == items else { return "writer \(writer) has \(found) instead of \(items)" }
        return nil
    }
}
