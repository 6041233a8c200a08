import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Rows")
struct RowTests {
    private static let secret = "hunter2"

    /// Decodes the first column of `sql` as `type`, which must fail.
    private func mismatch<Element: ColumnDecodable>(
        _ sql: String, as type: Element.Type, column: Int = 0, _ location: SourceLocation = #_sourceLocation
    ) throws -> LockstepError {
        let connection = try Connection.inMemory()
        let error = try #require(throws: LockstepError.self, sourceLocation: location) {
            _ = try connection.query(SQL(verbatim: sql)) { row in try row[column] as Element }
        }
        #expect(error.code == .decodeMismatch, sourceLocation: location)
        #expect(!error.description.contains(Self.secret), sourceLocation: location)
        return error
    }

    @Test("A mismatch names column, types and SQL, and never the value")
    func message() throws {
        let sql = "SELECT 'x' || 'hunter2' AS title /* hunter2 */"
        let error = try mismatch(sql, as: Int64.self)
        #expect(error.message == "column 0 (title) is TEXT, not INTEGER, in: SELECT ? || ? AS title")
        #expect(error.hint == nil)
    }

    @Test("Storage classes are not converted")
    func strictness() throws {
        let integer = "SELECT 1", real = "SELECT 1.5", text = "SELECT '1'", blob = "SELECT x'31'"
        for sql in [real, text, blob] {
            _ = try mismatch(sql, as: Int64.self)
            _ = try mismatch(sql, as: Int.self)
            _ = try mismatch(sql, as: Bool.self)
            _ = try mismatch(sql, as: Int64?.self)
        }
        for sql in [integer, real, blob] {
            _ = try mismatch(sql, as: String.self)
            _ = try mismatch(sql, as: String?.self)
        }
        for sql in [integer, real, text] {
            _ = try mismatch(sql, as: [UInt8].self)
            _ = try mismatch(sql, as: [UInt8]?.self)
        }
        for sql in [text, blob] {
            _ = try mismatch(sql, as: Double.self)
            _ = try mismatch(sql, as: Double?.self)
        }
    }

    @Test("NULL is not a value of a type that is not optional, and the hint names the fix") func null() throws {
        let errors = [
            try mismatch("SELECT NULL AS n", as: Int64.self), try mismatch("SELECT NULL AS n", as: Int.self),
            try mismatch("SELECT NULL AS n", as: Bool.self), try mismatch("SELECT NULL AS n", as: Double.self),
            try mismatch("SELECT NULL AS n", as: String.self), try mismatch("SELECT NULL AS n", as: [UInt8].self),
        ]
        for error in errors {
            #expect(error.message.hasPrefix("column 0 (n) is NULL, not "))
            #expect(error.hint?.contains("optional") == true)
        }
    }

    @Test(
        "An ordinal out of range is an error, for optionals and Values too",
        arguments: [-1, 2, 3, 1000, Int(Int32.max), Int(Int32.min), 1 << 32, -1 << 32, 1 << 40 + 1])
    func outOfRange(_ column: Int) throws {
        let sql = "SELECT 1, 2"
        let errors = [
            try mismatch(sql, as: Int64.self, column: column), try mismatch(sql, as: Int64?.self, column: column),
            try mismatch(sql, as: String?.self, column: column), try mismatch(sql, as: Double.self, column: column),
            try mismatch(sql, as: Value.self, column: column),
        ]
        for error in errors { #expect(error.message.contains("has 2 columns")) }
    }

    @Test(
        "Text that is not UTF-8 is an error and is not repaired",
        arguments: ["ff", "c328", "e28228", "f0288c28", "eda080", "c080", "f4908080", "61e282"])
    func invalidUTF8(_ hex: String) throws {
        let sql = "SELECT CAST(x'\(hex)' AS TEXT) AS t"
        let error = try mismatch(sql, as: String.self)
        #expect(error.message == "column 0 (t) is TEXT, not valid UTF-8, in: SELECT CAST(? AS TEXT) AS t")
        _ = try mismatch(sql, as: String?.self)
        _ = try mismatch(sql, as: Value.self)
    }

    @Test("A row gives its columns' names and number")
    func names() throws {
        let connection = try Connection.inMemory()
        let sql = "SELECT 1 AS one, 2 AS \"the second\", NULL AS \"日本\""
        let statement = try connection.prepare(SQL(verbatim: sql))
        #expect(statement.columnNames == ["one", "the second", "日本"])
        try statement.forEach { row in
            #expect(row.count == 3)
            #expect((0..<3).map { row.name(of: $0) } == ["one", "the second", "日本"])
            for column in [-1, 3, 1 << 32] { #expect(row.name(of: column) == "") }
        }
    }

    @Test("The columns can be read in any order and repeatedly")
    func anyOrder() throws {
        let connection = try Connection.inMemory()
        let rows = try connection.query("SELECT 'a', 1, x'02', NULL, 4.5") { row in
            let first: String = try row[0]
            let last: Double = try row[4]
            let again: String = try row[0]
            #expect(first == again && last == 4.5)
            #expect(try row[3] as Int64? == nil)
            return try row[2] as [UInt8]
        }
        #expect(rows == [[2]])
    }
}
