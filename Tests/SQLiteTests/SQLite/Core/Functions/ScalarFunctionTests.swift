import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Functions in Swift that SQL calls")
struct ScalarFunctionTests {
    private struct Hunter2: Error {}

    // MARK: Values

    @Test(
        "A value of every type is passed in and returned",
        arguments: [
            Value.null, .integer(0), .integer(.min), .integer(.max), .real(-0.5),
            .real(.infinity), .text(""), .text("a\0b"), .text("日本"), .blob([]), .blob([0, 255]),
            .text(String(repeating: "é", count: 100_000)),
            .blob([UInt8](repeating: 9, count: 1 << 20)),
        ])
    func types(_ value: Value) throws {
        let connection = try Connection.inMemory(with: .same)
        #expect(try connection.value("SELECT same(\(value))", as: Value.self) == value)
        let type: String? = try connection.value("SELECT upper(typeof(same(\(value))))")
        #expect(type == value.typeName)
    }

    @Test("NaN becomes NULL")
    func nan() throws {
        let connection = try Connection.inMemory(with: SQLFunction("nan", argumentCount: 0) { _ in .real(.nan) })
        #expect(try connection.value("SELECT nan()", as: Value.self) == .null)
    }

    @Test("A function with any number of arguments sees how many there are")
    func anyNumber() throws {
        let connection = try Connection.inMemory(
            with: SQLFunction("many", argumentCount: nil) { arguments in
                var text = "\(arguments.count)"
                for index in 0..<arguments.count { text += " \(try arguments[index].typeName)" }
                return .text(text)
            })
        #expect(try connection.value("SELECT many()") == "0")
        #expect(try connection.value("SELECT many(1, 'a', NULL)") == "3 INTEGER TEXT NULL")
        let marks = repeatElement("1", count: 100).joined(separator: ", ")
        let text: String? = try connection.value("SELECT many(\(verbatim: marks))")
        #expect(text?.hasPrefix("100 INTEGER") == true)
    }

    @Test("A wrong number of arguments is an error when the statement is prepared") func wrongCount() throws {
        let connection = try Connection.inMemory(with: .same, SQLFunction("pair", argumentCount: 2) { try $0[1] })
        for sql in ["SELECT same()", "SELECT same(1, 2)", "SELECT pair(1)"] as [SQL] {
            Refusal.expect(.sqlFailed) { _ = try connection.prepare(sql) }
        }
        #expect(try connection.value("SELECT PAIR(1, 2)") == 2)
    }

    @Test("Functions with one name and different numbers of arguments coexist")
    func overloads() throws {
        let connection = try Connection.inMemory(
            with: SQLFunction("n", argumentCount: 0) { _ in .integer(0) },
            SQLFunction("n", argumentCount: 2) { _ in .integer(2) },
            SQLFunction("n", argumentCount: nil) { _ in .integer(-1) })
        let all = try connection.first("SELECT n(), n(1), n(1, 2), n(1, 2, 3)") { row in
            [try row[0] as Int, try row[1], try row[2], try row[3]]
        }
        #expect(all == [0, -1, 2, -1])
    }

    @Test(
        "A number of arguments that SQLite does not support is refused",
        arguments: [-2, 128, 1 << 40])
    func impossibleCount(_ count: Int) throws {
        let connection = try Connection.inMemory()
        Refusal.expect(.misuse) {
            try connection.add(SQLFunction("f", argumentCount: count) { _ in .null })
        }
        #expect(try connection.value("SELECT 1") == 1)
    }

    // MARK: Failing

    @Test(
        "A function that throws ends the statement without showing a value, and can be called again"
    )
    func throwing() throws {
        let connection = try Connection.inMemory(
            with: SQLFunction("picky", argumentCount: 1) { arguments in
                guard try arguments[0] == .integer(1) else { throw Hunter2() }
                return .text("fine")
            })
        let error = try #require(throws: LockstepError.self) {
            try connection.execute("SELECT picky(\("hunter2")), 'hunter2'")
        }
        #expect(error.code == .sqlFailed)
        #expect(error.message.hasPrefix("picky failed"))
        #expect(!error.description.contains("hunter2"))
        #expect(try connection.value("SELECT picky(1)") == "fine")
    }

    @Test("A function that throws in the middle of a write undoes its statement") func throwingInWrite() throws {
        let connection = try Connection.inMemory(
            with: SQLFunction("few", argumentCount: 1) { arguments in
                guard case .integer(let number) = try arguments[0], number < 3 else {
                    throw Hunter2()
                }
                return .integer(number)
            })
        try connection.execute("CREATE TABLE t (a)")
        Refusal.expect(.sqlFailed) {
            try connection.execute("INSERT INTO t SELECT few(value) FROM json_each('[1, 2, 3]')")
        }
        #expect(try connection.value("SELECT count(*) FROM t") == 0)
    }

    @Test("An argument that is missing, or is not valid text, is an error", arguments: [-1, 1, 127])
    func strangeArguments(_ index: Int) throws {
        let connection = try Connection.inMemory(with: .same, SQLFunction("far", argumentCount: 1) { try $0[index] })
        Refusal.expect(.sqlFailed) { try connection.execute("SELECT far(7)") }
        Refusal.expect(.sqlFailed) { try connection.execute("SELECT same(CAST(x'FF' AS TEXT))") }
    }
}
