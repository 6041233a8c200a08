import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Rows by their columns' names, as tuples and as values")
final class NamedColumnsTests {
    private let connection: Connection

    init() throws {
        connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER)")
        try connection.execute("INSERT INTO film VALUES (1, 'Alien', 1979), (2, 'Heat', NULL)")
    }

    private struct Film: RowDecodable, Equatable {
        var id: Int
        var title: String
        var year: Int?

        init(_ id: Int, _ title: String, _ year: Int?) {
            (self.id, self.title, self.year) = (id, title, year)
        }

        init(row: borrowing Row) throws {
            self.init(try row[0], try row[1], try row[2])
        }
    }

    // MARK: Names

    @Test("A column is found by its name, or by its alias if it has one")
    func names() throws {
        let sql: SQL = "SELECT title AS name, id, year AS \"a \"\"b\"\"\", 7 AS \"\" FROM film WHERE id = 1"
        try connection.prepare(sql).forEach { (row: borrowing Row) throws in
            #expect(try row["name"] as String == "Alien")
            #expect(try row["id"] as Int == 1)
            #expect(try row["a \"b\""] as Int? == 1979)
            #expect(try row[""] as Int == 7)
        }
    }

    @Test("Of columns with the same name the first counts")
    func duplicates() throws {
        try connection.prepare("SELECT 1 AS a, 2 AS b, 3 AS a, 4 AS A").forEach {
            (row: borrowing Row) throws in
            #expect(try row["a"] as Int == 1)
            #expect(try row["A"] as Int == 4)
            #expect(try row["b"] as Int == 2)
        }
    }

    @Test("A missing name is an error that lists the names, and never a value")
    func missing() throws {
        try connection.prepare("SELECT id, 'hunter2' AS t FROM film").forEach { row in
            for name in ["title", "ID", "", "t ", "0"] {
                let error = try #require(throws: LockstepError.self) {
                    _ = try row[name] as String?
                }
                #expect(error.code == .decodeMismatch)
                #expect(error.message == "there is no column \(name) in: SELECT id, ? AS t FROM film")
                #expect(error.hint == "the columns are id, t")
            }
        }
    }

    @Test("A type mismatch gives the same error by name as by ordinal")
    func mismatch() throws {
        try connection.prepare("SELECT 1, 'hunter2' AS secret").forEach { row in
            let byName = try #require(throws: LockstepError.self) { _ = try row["secret"] as Int }
            let byOrdinal = try #require(throws: LockstepError.self) { _ = try row[1] as Int }
            #expect(byName == byOrdinal)
            #expect(byName.message == "column 1 (secret) is TEXT, not INTEGER, in: SELECT ?, ? AS secret")
        }
    }

    // MARK: Tuples

    @Test("A query's rows are tuples of any columns, optionals and Values among them")
    func tuples() throws {
        let rows = try connection.query(
            "SELECT id, title, year, year FROM film WHERE id < ? ORDER BY id", 9, as: (Int, String, Int?, Value).self)
        #expect(rows.map(\.0) == [1, 2])
        #expect(rows.map(\.1) == ["Alien", "Heat"])
        #expect(rows.map(\.2) == [1979, nil])
        #expect(rows.map(\.3) == [.integer(1979), .null])
    }

    @Test("A tuple can have fewer columns than the row, but not more")
    func tupleLength() throws {
        let ids = try connection.query("SELECT id, title FROM film", as: (Int).self)
        #expect(ids == [1, 2])
        let error = try #require(throws: LockstepError.self) {
            _ = try connection.query("SELECT id, title FROM film", as: (Int, String, Int?).self)
        }
        #expect(error.code == .decodeMismatch)
        #expect(error.message.hasPrefix("there is no column 2: the row has 2 columns"))
    }

    @Test("The error for a type mismatch in a tuple names the column")
    func tupleMismatch() throws {
        let error = try #require(throws: LockstepError.self) {
            _ = try connection.query("SELECT id, title, year FROM film", as: (Int, String, Int).self)
        }
        #expect(error.message.hasPrefix("column 2 (year) is NULL, not INTEGER, in: SELECT id"))
    }

    // MARK: Values that read rows

    @Test("Rows become values that read them")
    func values() throws {
        let films = try connection.query("SELECT * FROM film ORDER BY id", as: Film.self)
        #expect(films == [Film(1, "Alien", 1979), Film(2, "Heat", nil)])
        let heat = try connection.first(
            "SELECT * FROM film WHERE title = \("Heat")", as: Film.self)
        #expect(heat == Film(2, "Heat", nil))
        #expect(try connection.first("SELECT * FROM film WHERE id = ?", 9, as: Film.self) == nil)
    }

    @Test("An error that a row's reader throws is passed on, and the statement is free") func throwing() throws {
        for _ in 0..<2 {
            Refusal.expect(.decodeMismatch) {
                _ = try connection.query("SELECT title, id, year FROM film", as: Film.self)
            }
        }
        try connection.execute("DROP TABLE film")
    }

    // MARK: RETURNING

    @Test("INSERT, UPDATE and DELETE return typed rows, and have completed")
    func returning() throws {
        let inserted = try connection.query(
            "INSERT INTO film (title, year) VALUES (?, ?), ('Solaris', 1972) RETURNING *",
            "Stalker", 1979, as: Film.self)
        #expect(inserted == [Film(3, "Stalker", 1979), Film(4, "Solaris", 1972)])
        #expect(connection.changes == 2)
        #expect(connection.lastInsertedRowID == 4)

        let updated = try connection.query(
            "UPDATE film SET year = \(2000) WHERE id > \(2) RETURNING id, year",
            as: (Int, Int).self)
        #expect(updated.map(\.0).sorted() == [3, 4])
        #expect(updated.allSatisfy { $0.1 == 2000 })
        #expect(connection.changes == 2)

        // Only the first row is read, but all are deleted.
        let deleted: Int? = try connection.value("DELETE FROM film RETURNING id")
        #expect(deleted == 1)
        #expect(connection.changes == 4)
        #expect(connection.lastInsertedRowID == 4)
        #expect(try connection.value("SELECT count(*) FROM film") == 0)
    }

    @Test("A RETURNING row that does not decode undoes its statement in a write") func returningMismatch() throws {
        let insert: SQL = "INSERT INTO film (title) VALUES ('x') RETURNING title"
        Refusal.expect(.decodeMismatch) {
            try connection.write { _ = try $0.value(insert, as: Int.self) }
        }
        #expect(try connection.value("SELECT count(*) FROM film") == 2)
    }

    @Test("Changes count the last statement that changed rows, and reading leaves the count") func changes() throws {
        try connection.execute("UPDATE film SET year = 1")
        #expect(connection.changes == 2)
        #expect(try connection.value("SELECT count(*) FROM film") == 2)
        #expect(connection.changes == 2)
        try connection.execute("DELETE FROM film WHERE id = 99")
        #expect(connection.changes == 0)
        try connection.execute("INSERT INTO film (id, title) VALUES (\(Int64.max), 'last')")
        #expect(connection.lastInsertedRowID == .max)
    }
}
