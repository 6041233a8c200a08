import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Values by parameter name")
final class NamedValuesTests {
    private let connection: Connection

    init() throws { connection = try Connection.inMemory() }

    private func texts(_ sql: SQL) throws -> [String] {
        try connection.first(sql) { row in try (0..<row.count).map { try row[$0] as String } } ?? []
    }

    /// Runs a statement once with named values.
    private func row(
        _ sql: SQL, _ values: [String: any Bindable & Sendable]
    ) throws -> [Value] {
        let statement = try connection.prepare(sql)
        try statement.bind(named: values)
        #expect(try statement.step())
        let row = Row(statement.prepared)
        let result = try (0..<row.count).map { try row[$0] as Value }
        #expect(statement.end() == 0)
        return result
    }

    private func mismatch(
        _ sql: SQL, _ values: [String: any Bindable & Sendable], _ location: SourceLocation = #_sourceLocation
    ) throws -> LockstepError {
        let behind = try #require(throws: LockstepError.self, sourceLocation: location) {
            _ = try connection.value(sql.with(named: values), as: Value.self)
        }
        let bound = try #require(throws: LockstepError.self, sourceLocation: location) {
            _ = try row(sql, values)
        }
        #expect(behind == bound, sourceLocation: location)
        #expect(behind.code == .bindMismatch, sourceLocation: location)
        #expect(!behind.description.contains("hunter2"), sourceLocation: location)
        return behind
    }

    @Test("Names work with and without their sign, for each of SQLite's signs")
    func signs() throws {
        let sql: SQL = "SELECT :a, @b, $c"
        #expect(try texts(sql.with(named: ["a": "1", "b": "2", "c": "3"])) == ["1", "2", "3"])
        #expect(try texts(sql.with(named: [":a": "1", "@b": "2", "$c": "3"])) == ["1", "2", "3"])
        #expect(try row(sql, ["a": 1, "@b": "2", "c": 0.5]) == [.integer(1), .text("2"), .real(0.5)])
    }

    @Test("A name with its sign means only that parameter, and precedes the bare name") func precedence() throws {
        let sql: SQL = "SELECT :x, @x, $x"
        #expect(try texts(sql.with(named: ["x": "all"])) == ["all", "all", "all"])
        #expect(try texts(sql.with(named: ["x": "all", "@x": "at"])) == ["all", "at", "all"])
    }

    @Test("A parameter that occurs twice takes one value, and the order does not matter") func repeated() throws {
        let sql: SQL = "SELECT :b || :a || :b"
        #expect(try texts(sql.with(named: ["a": "x", "b": "y"])) == ["yxy"])
    }

    @Test("Names are compared literally, in any script")
    func spelling() throws {
        #expect(try texts(("SELECT :größe" as SQL).with(named: ["größe": "XL"])) == ["XL"])
        let error = try mismatch("SELECT :a", ["A": "hunter2"])
        #expect(error.message.hasPrefix("there is no value for the parameter :a in: "))
    }

    @Test("An optional that is nil is NULL, and not a missing value")
    func null() throws {
        #expect(try row("SELECT :a", ["a": Int?.none]) == [.null])
        #expect(try row("SELECT :a", ["a": Value.null]) == [.null])
    }

    @Test("A missing value is refused with the parameter's name")
    func missing() throws {
        let error = try mismatch("SELECT :a, :b", ["a": "hunter2"])
        #expect(error.message == "there is no value for the parameter :b in: SELECT :a, :b")
        _ = try mismatch("SELECT :a", [:])
        _ = try mismatch("SELECT @a", [":a": 1])
    }

    @Test("A value without a parameter is refused with its name")
    func extra() throws {
        let error = try mismatch("SELECT :a", ["a": 1, "z": "hunter2", "y": 2])
        #expect(error.message == "there is no parameter y in: SELECT :a")
        _ = try mismatch("SELECT 1", ["a": 1])
        _ = try mismatch("SELECT :a", ["a": 1, "": 2])
        _ = try mismatch("SELECT ':b', :a", ["a": 1, "b": 2])
    }

    @Test("A parameter without a name is refused with its number")
    func unnamed() throws {
        let error = try mismatch("SELECT :a, ?", ["a": "hunter2"])
        #expect(error.message.hasPrefix("parameter 2 has no name in: "))
        _ = try mismatch("SELECT ?", ["": 1])
    }

    @Test("Named values replace interpolated ones, which have no names")
    func replacing() throws {
        let sql: SQL = "SELECT \(1)"
        Refusal.expect(.bindMismatch) {
            _ = try connection.value(sql.with(named: ["a": 1]), as: Int.self)
        }
    }

    @Test("A second call of with(named:) replaces all values of the first")
    func replacedTwice() throws {
        let sql = ("SELECT :a" as SQL).with(named: ["a": "first"])
        #expect(try texts(sql.with(named: ["a": "second"])) == ["second"])
        #expect(try texts(sql) == ["first"])
    }

    @Test("A statement runs again with its named values, and with others after a mismatch") func again() throws {
        let statement = try connection.prepare(("SELECT :a" as SQL).with(named: ["a": "kept"]))
        for _ in 0..<3 {
            #expect(try statement.first { row in try row[0] as String } == "kept")
            Refusal.expect(.bindMismatch) { try statement.bind(named: ["b": 1]) }
        }
    }

    @Test("A match after a mismatch keeps nothing of the mismatch's values")
    func afterMismatch() throws {
        let statement = try connection.prepare("SELECT :a, :b")
        Refusal.expect(.bindMismatch) { try statement.bind(named: ["a": "left over"]) }
        Refusal.expect(.bindMismatch) { try statement.run() }
        let values = try statement.first("x", "y") { row in [try row[0] as String, try row[1]] }
        #expect(values == ["x", "y"])
    }

    @Test("The statement runs with the named values that were bound")
    func boundAhead() throws {
        let statement = try connection.prepare("SELECT :a || :b")
        try statement.bind(named: ["a": "x", "b": "y"])
        #expect(try statement.first { row in try row[0] as String } == "xy")
    }
}
