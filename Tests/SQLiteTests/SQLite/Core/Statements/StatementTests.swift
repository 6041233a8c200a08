import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Statements")
struct StatementTests {
    private let scratch: DatabaseScratch

    init() throws {
        scratch = try DatabaseScratch()
        try scratch.fill(rows: 10)
    }

    // MARK: One statement

    @Test(
        "Several statements where one is expected are refused, and none of them runs",
        arguments: [
            "DELETE FROM item; DELETE FROM item", "DELETE FROM item;;DROP TABLE item",
            "DELETE FROM item; x", "DELETE FROM item; 'text",
            "DELETE FROM item; /* c */ SELECT 1 --",
            "DELETE FROM item\0; DROP TABLE item",
        ])
    func several(_ sql: String) throws {
        let connection = try scratch.open()
        let error = try #require(throws: LockstepError.self) {
            try connection.execute(SQL(verbatim: sql))
        }
        #expect(error.code == .misuse)
        #expect(try scratch.count(connection) == 10)
    }

    @Test(
        "Blank SQL is refused",
        arguments: [
            "", " ", "\n\t\r\u{C}", ";", " ; ; ", "-- only a comment", "/* open", "/* c */;",
        ])
    func blank(_ sql: String) throws {
        let connection = try scratch.open()
        let error = try #require(throws: LockstepError.self) {
            try connection.execute(SQL(verbatim: sql))
        }
        #expect(error.code == .misuse)
        #expect(error.message.contains("no statement"))
    }

    @Test(
        "Semicolons, comments and space after the statement are accepted",
        arguments: [
            "SELECT 7", "SELECT 7;", " SELECT 7 ; ", "SELECT 7;;;", "SELECT 7; -- done", "SELECT 7 -- done",
            "SELECT 7; /* one */ ; /* two", "SELECT 7;\n\n-- a; b 'c\n", "/* first */ SELECT 7", "SELECT 7 /* ; */",
        ])
    func trailing(_ sql: String) throws {
        #expect(try scratch.open().value(SQL(verbatim: sql)) == 7)
    }

    @Test("Running a statement of a script returns where it ends, to the byte")
    func first() throws {
        let connection = try scratch.open()
        let sql = "CREATE TABLE a (x DEFAULT ';é'); -- über;\nCREATE TABLE b (y) ; /* 🔐 */ "
        let script = Array(sql.utf8) + [0]
        let first = try connection.runStatement(of: script, from: 0)
        #expect(script[..<first].elementsEqual("CREATE TABLE a (x DEFAULT ';é');".utf8))
        let second = try connection.runStatement(of: script, from: first)
        #expect(script[second...].elementsEqual(Array(" /* 🔐 */ ".utf8) + [0]))
        Refusal.expect(.misuse) { _ = try connection.runStatement(of: [0x20], from: 0) }
        #expect(try connection.value("SELECT count(*) FROM sqlite_schema WHERE name IN ('a', 'b')") == 2)
    }

    // MARK: Binding

    @Test("Too many or too few values are refused, and the statement does not run")
    func bindCount() throws {
        let connection = try scratch.open()
        let sql = "UPDATE item SET body = ? WHERE id = ? AND 'hunter2' <> ''"
        let statement = try connection.prepare(SQL(verbatim: sql))
        let errors = [
            try #require(throws: LockstepError.self) { try statement.run() },
            try #require(throws: LockstepError.self) { try statement.run([UInt8](), 1, 2) },
            try #require(throws: LockstepError.self) { try statement.run([UInt8]()) },
            try #require(throws: LockstepError.self) { try statement.bind(values: []) },
            try #require(throws: LockstepError.self) {
                try statement.bind(values: [.blob([]), .null, .null])
            },
        ]
        #expect(errors.map(\.code) == Array(repeating: .bindMismatch, count: 5))
        #expect(errors[0].message.hasPrefix("0 values for 2 parameters in: UPDATE item"))
        #expect(errors[1].message.hasPrefix("3 values for 2 parameters"))
        #expect(errors.allSatisfy { !$0.description.contains("hunter2") })
        #expect(try connection.value("SELECT count(*) FROM item WHERE length(body) = 0") == 0)
        try statement.run([UInt8](), 3)
        #expect(try connection.value("SELECT id FROM item WHERE length(body) = 0") == 3)
    }

    @Test("Values for a statement without parameters are refused")
    func noParameters() throws {
        let connection = try scratch.open()
        let error = try #require(throws: LockstepError.self) {
            _ = try connection.value("SELECT 1", 5, as: Int.self)
        }
        #expect(error.code == .bindMismatch)
    }

    @Test("Numbered and named parameters count as SQLite counts them")
    func namedParameters() throws {
        let connection = try scratch.open()
        #expect(try connection.value("SELECT ?2 || ?1", "a", "b") == "ba")
        #expect(try connection.value("SELECT :x || @y || :x", "a", "b") == "aba")
        #expect(try connection.value("SELECT ?3", 1, 2, 3) == 3)
    }

    @Test("Values bound at run time replace earlier ones")
    func bindValues() throws {
        let connection = try scratch.open()
        let statement = try connection.prepare("SELECT ?, ?")
        for values in [[Value.integer(1), .text("x")], [.null, .blob([1])], [.real(2), .null]] {
            try statement.bind(values: values)
            #expect(try statement.step())
            // While it still has rows, it refuses other values.
            let error = try #require(throws: LockstepError.self) {
                try statement.bind(values: values)
            }
            #expect(error.code == .misuse)
            #expect(try statement.step() == false)
        }
        let rows = try statement.map(Value.null, Value.text("z")) { row in
            [try row[0] as Value, try row[1]]
        }
        #expect(rows == [[.null, .text("z")]])
    }

    // MARK: Running again

    @Test("A statement runs again after a constraint failed, and after a row did not decode")
    func reuseAfterErrors() throws {
        let connection = try scratch.open()
        let insert = try connection.prepare("INSERT INTO item (id, body) VALUES (?, x'')")
        for _ in 0..<3 {
            let error = try #require(throws: LockstepError.self) { try insert.run(1) }
            #expect(error.code == .constraint)
            #expect(error.sqliteCode == 1555)
        }
        try insert.run(11)
        #expect(connection.lastInsertedRowID == 11 && connection.changes == 1)
        let select = try connection.prepare("SELECT body FROM item WHERE id = ?")
        #expect(throws: LockstepError.self) { try select.map(1) { row in try row[0] as Int64 } }
        #expect(try select.map(11) { row in try row[0] as [UInt8] } == [[]])
    }

    @Test("A row closure that throws leaves no snapshot open")
    func throwingClosure() throws {
        let reader = try scratch.open()
        let writer = try scratch.open()
        let select = try reader.prepare("SELECT id FROM item")
        #expect(throws: Stop.self) { try select.forEach { _ in throw Stop() } }
        #expect(throws: Stop.self) { _ = try select.map { _ -> Int in throw Stop() } }
        #expect(throws: Stop.self) { _ = try select.first { _ -> Int in throw Stop() } }
        try scratch.add(rows: 1, to: writer)
        #expect(try scratch.count(reader) == 11)
        // An open snapshot would keep the log from being emptied.
        let isBusy: Int? = try writer.value("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(isBusy == 0)
    }

    @Test("Taking only the first row leaves no snapshot open")
    func firstRow() throws {
        let reader = try scratch.open()
        let writer = try scratch.open()
        let select = try reader.prepare("SELECT id FROM item ORDER BY id")
        #expect(try select.first { row in try row[0] as Int } == 1)
        try scratch.add(rows: 1, to: writer)
        #expect(try writer.value("PRAGMA wal_checkpoint(TRUNCATE)", as: Int.self) == 0)
        #expect(try scratch.count(reader) == 11)
        let none = try reader.value("SELECT id FROM item WHERE id < 0", as: Int.self)
        #expect(none == nil)
    }

    @Test("A statement that is being read refuses to run in its own row closure")
    func reentrance() throws {
        let connection = try scratch.open()
        let select = try connection.prepare("SELECT id FROM item ORDER BY id")
        var rows = 0
        let error = try #require(throws: LockstepError.self) {
            try select.forEach { _ in
                rows += 1
                // Without a refusal the loop would restart for ever.
                guard rows < 100 else { throw Stop() }
                _ = try select.first { row in try row[0] as Int }
            }
        }
        #expect(error.code == .misuse)
    }

    @Test("A failure when the first row's statement ends is an error and is not ignored")
    func firstRowOfAWrite() throws {
        let connection = try scratch.open()
        try connection.execute("CREATE TABLE child (item INTEGER REFERENCES item DEFERRABLE INITIALLY DEFERRED)")
        let sql = "INSERT INTO child VALUES (?) RETURNING item"
        let error = try #require(throws: LockstepError.self) {
            _ = try connection.value(SQL(verbatim: sql), 99, as: Int.self)
        }
        #expect(error.code == .constraint)
        #expect(try connection.value("SELECT count(*) FROM child") == 0)
        #expect(try connection.value(SQL(verbatim: sql), 3) == 3)
        #expect(try connection.value("SELECT count(*) FROM child") == 1)
    }

    // MARK: Properties

    @Test("Whether a statement only reads is known before it runs")
    func readOnly() throws {
        let connection = try scratch.open()
        #expect(try connection.prepare("SELECT * FROM item").isReadOnly)
        #expect(try connection.prepare("BEGIN").isReadOnly)
        #expect(try connection.prepare("DELETE FROM item").isReadOnly == false)
        #expect(try connection.prepare("INSERT INTO item VALUES (1, 2) RETURNING id").isReadOnly == false)
    }
}
