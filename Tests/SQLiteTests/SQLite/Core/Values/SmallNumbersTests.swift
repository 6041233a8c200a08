import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Numbers of every width are bound and read")
struct SmallNumbersTests {
    private func check<Number: FixedWidthInteger & Bindable & ColumnDecodable & Sendable>(
        _ type: Number.Type, _ db: borrowing Connection
    ) throws {
        for number in [Number.min, 0, 1, Number.max] {
            let read: [Number] = try db.query("SELECT \(number)", as: type)
            #expect(read == [number])
            #expect(try db.value("SELECT ?", number, as: Int64.self) == Int64(number))
            #expect(try db.value("SELECT \(number as Number?)", as: Number?.self) == number)
        }
        #expect(
            try db.query("SELECT 1 WHERE 1 IN \(list: [Number.min, 1])", as: type) == [1])
        for outside in [Int64(Number.min) - 1, Int64(Number.max) + 1] {
            Refusal.expect(.decodeMismatch) { _ = try db.query("SELECT \(outside)", as: type) }
        }
        Refusal.expect(.decodeMismatch) { _ = try db.query("SELECT 1.5", as: type) }
        Refusal.expect(.decodeMismatch) { _ = try db.query("SELECT NULL", as: type) }
    }

    @Test("Integers: their borders, and what does not fit is an error")
    func integers() throws {
        let db = try Connection.inMemory()
        try check(Int8.self, db)
        try check(Int16.self, db)
        try check(Int32.self, db)
        try check(UInt8.self, db)
        try check(UInt16.self, db)
        try check(UInt32.self, db)
    }

    @Test("Float: rounded, and never infinite for a number that is not")
    func floats() throws {
        let db = try Connection.inMemory()
        for number in [
            Float(0), -0.0, 1.5, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity,
            -.infinity,
        ] {
            #expect(try db.query("SELECT \(number)", as: Float.self) == [number])
        }
        #expect(try db.value("SELECT 0.1", as: Float.self) == 0.1)
        #expect(try db.value("SELECT typeof(\(Float.nan))", as: String.self) == "null")
        for outside: SQL in ["SELECT 1e300", "SELECT -1e39", "SELECT 'text'", "SELECT NULL"] {
            Refusal.expect(.decodeMismatch) { _ = try db.query(outside, as: Float.self) }
        }
    }

    @Test("One column is an array of its values, and several are tuples")
    func columns() throws {
        let db = try Connection.inMemory()
        let rows: SQL = "SELECT * FROM (VALUES (1, 'a'), (2, NULL), (1, 'c')) ORDER BY 2"
        #expect(Set(try db.query(rows, as: Int.self)) == [1, 2])
        #expect(try db.query("SELECT 2 UNION SELECT ?", 1, as: Int.self) == [1, 2])
        let texts = try db.query("SELECT column2 FROM (\(rows))", as: String?.self)
        #expect(texts == [nil, "a", "c"])
        #expect(try db.query(rows, as: (Int, String?).self).map(\.1) == [nil, "a", "c"])
        Refusal.expect(.decodeMismatch) { _ = try db.query(rows, as: String.self) }
    }
}
