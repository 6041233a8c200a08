import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Rows as Decodable values")
final class CodableRowTests {
    private let connection: Connection

    init() throws { connection = try Connection.inMemory() }

    private func decode<Value: Decodable>(_ type: Value.Type, _ sql: SQL) throws -> Value {
        try #require(try connection.decode(type, sql).first)
    }

    private func mismatch<Value: Decodable>(
        _ type: Value.Type, _ sql: SQL, _ location: SourceLocation = #_sourceLocation
    ) throws -> LockstepError {
        let error = try #require(throws: LockstepError.self, sourceLocation: location) {
            _ = try connection.decode(type, sql)
        }
        #expect(error.code == .decodeMismatch, sourceLocation: location)
        #expect(!error.description.contains("hunter2"), sourceLocation: location)
        return error
    }

    // MARK: Types

    private struct All: Decodable, Equatable {
        var bool: Bool
        var int: Int
        var int8: Int8
        var int16: Int16
        var int32: Int32
        var int64: Int64
        var uint: UInt
        var uint8: UInt8
        var uint16: UInt16
        var uint32: UInt32
        var uint64: UInt64
        var float: Float
        var double: Double
        var string: String
        var bytes: [UInt8]
    }

    @Test("Every primitive type is decoded at the limits of its range")
    func primitives() throws {
        let all = try decode(
            All.self,
            """
            SELECT 1 AS bool, \(Int.min) AS int, -128 AS int8, -32768 AS int16,
                -2147483648 AS int32, \(Int64.min) AS int64, \(Int64.max) AS uint, 255 AS uint8,
                65535 AS uint16, 4294967295 AS uint32, \(Int64.max) AS uint64, 1.5 AS float,
                \(Double.greatestFiniteMagnitude) AS double, 'a' || char(0) || 'é' AS string,
                x'00FF' AS bytes
            """)
        let expected = All(
            bool: true, int: .min, int8: .min, int16: .min, int32: .min, int64: .min,
            uint: UInt(Int64.max), uint8: .max, uint16: .max, uint32: .max,
            uint64: UInt64(Int64.max), float: 1.5, double: .greatestFiniteMagnitude,
            string: "a\0é", bytes: [0, 255])
        #expect(all == expected)
    }

    private struct One<Element: Decodable & Sendable>: Decodable, Sendable { var x: Element }

    @Test("An integer that does not fit is an error, and is not truncated")
    func ranges() throws {
        for number in [Int64(128), -129, .max, .min] {
            _ = try mismatch(One<Int8>.self, "SELECT \(number) AS x")
        }
        for number in [Int64(-1), 256, .min] {
            _ = try mismatch(One<UInt8>.self, "SELECT \(number) AS x")
        }
        _ = try mismatch(One<Int16>.self, "SELECT 32768 AS x")
        _ = try mismatch(One<UInt16>.self, "SELECT 65536 AS x")
        _ = try mismatch(One<Int32>.self, "SELECT 2147483648 AS x")
        _ = try mismatch(One<UInt32>.self, "SELECT 4294967296 AS x")
        _ = try mismatch(One<UInt>.self, "SELECT -1 AS x")
        _ = try mismatch(One<UInt64>.self, "SELECT -1 AS x")
        _ = try mismatch(One<Int8?>.self, "SELECT 128 AS x")
        let error = try mismatch(One<Int8>.self, "SELECT 0 AS y, 4711 AS x")
        #expect(error.message.hasPrefix("column 1 (x) is out of the range of Int8"))
        #expect(!error.message.contains("4711"))
    }

    @Test("Storage classes are not converted, and NULL is not a value")
    func strictness() throws {
        for literal in ["'hunter2'", "NULL", "x'00'", "1.5"] {
            let sql = SQL(verbatim: "SELECT \(literal) AS x")
            _ = try mismatch(One<Int>.self, sql)
            _ = try mismatch(One<Int16>.self, sql)
            _ = try mismatch(One<Bool>.self, sql)
        }
        for literal in ["'hunter2'", "NULL", "x'00'"] {
            _ = try mismatch(One<Double>.self, SQL(verbatim: "SELECT \(literal) AS x"))
            _ = try mismatch(One<Float>.self, SQL(verbatim: "SELECT \(literal) AS x"))
        }
        for literal in ["7", "NULL", "x'00'"] {
            _ = try mismatch(One<String>.self, SQL(verbatim: "SELECT \(literal) AS x"))
        }
        for literal in ["7", "NULL", "'hunter2'"] {
            _ = try mismatch(One<[UInt8]>.self, SQL(verbatim: "SELECT \(literal) AS x"))
        }
        let error = try mismatch(One<Int>.self, "SELECT 'hunter2' AS x")
        #expect(error.message == "column 0 (x) is TEXT, not INTEGER, in: SELECT ? AS x")
    }

    // MARK: Optionals

    private struct Optionals: Decodable, Equatable {
        var bool: Bool?
        var int: Int?
        var int8: Int8?
        var uint64: UInt64?
        var float: Float?
        var double: Double?
        var string: String?
        var bytes: [UInt8]?
        var mood: Mood?
    }

    private enum Mood: String, Decodable { case calm, wild }

    @Test("An optional is nil for NULL, and for a missing column")
    func optionals() throws {
        let nulls: SQL = """
            SELECT NULL AS bool, NULL AS int, NULL AS int8, NULL AS uint64, NULL AS float,
                NULL AS double, NULL AS string, NULL AS bytes, NULL AS mood
            """
        #expect(try decode(Optionals.self, nulls) == Optionals())
        #expect(try decode(Optionals.self, "SELECT 1 AS other") == Optionals())
        let full: SQL = """
            SELECT 0 AS bool, 1 AS int, 2 AS int8, 3 AS uint64, 4.5 AS float, 5.5 AS double,
                '' AS string, x'' AS bytes, 'wild' AS mood
            """
        let expected = Optionals(
            bool: false, int: 1, int8: 2, uint64: 3, float: 4.5, double: 5.5, string: "",
            bytes: [], mood: .wild)
        #expect(try decode(Optionals.self, full) == expected)
        _ = try mismatch(Optionals.self, "SELECT 'hunter2' AS int")
        _ = try mismatch(Optionals.self, "SELECT 'hunter2' AS int8")
    }

    @Test("A property that is not optional needs its column, and the error lists the columns")
    func missingColumn() throws {
        let error = try mismatch(One<Int>.self, "SELECT 'hunter2' AS y, 2 AS X")
        #expect(error.message.hasPrefix("there is no column for the property x"))
        #expect(error.hint == "the columns are y, X")
    }

    // MARK: Types of one value

    private enum Level: Int8, Decodable { case low = 1, high = 100 }
    private struct Name: RawRepresentable, Decodable, Equatable, Sendable { var rawValue: String }
    private struct Wrapped: Decodable, Equatable, Sendable {
        var number: Int32?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            number = container.decodeNil() ? nil : try container.decode(Int32.self)
        }
    }

    @Test("Enumerations and other types with raw values are decoded from those")
    func rawValues() throws {
        #expect(try decode(One<Mood>.self, "SELECT 'calm' AS x").x == .calm)
        #expect(try decode(One<Level>.self, "SELECT 100 AS x").x == .high)
        #expect(try decode(One<Name>.self, "SELECT 'Ada' AS x").x == Name(rawValue: "Ada"))
        _ = try mismatch(One<Mood>.self, "SELECT 1 AS x")
        _ = try mismatch(One<Level>.self, "SELECT 300 AS x")
        _ = try mismatch(One<Mood>.self, "SELECT NULL AS x")
    }

    @Test("A raw value without a case is an error that does not show the value") func strangeRawValue() throws {
        _ = try mismatch(One<Mood>.self, "SELECT 'hunter2' AS x")
        _ = try mismatch(One<Mood?>.self, "SELECT 'hunter2' AS x")
    }

    @Test(
        "Types that decode themselves from one value read the column, NULL included",
        .withFoundation)
    func singleValues() throws {
        #expect(try decode(One<Wrapped>.self, "SELECT 7 AS x").x.number == 7)
        #expect(try decode(One<Wrapped>.self, "SELECT 1 AS y, NULL AS x").x.number == nil)
        _ = try mismatch(One<Wrapped>.self, "SELECT 2147483648 AS x")
        _ = try mismatch(One<Date>.self, "SELECT 1.5 AS x")
        let id = UUID()
        #expect(try decode(One<UUID>.self, "SELECT \(id.uuidString) AS x").x == id)
    }

    @Test("A row can be a single value itself: its first column")
    func wholeRow() throws {
        #expect(try connection.decode(Mood.self, "VALUES ('calm'), ('wild')") == [.calm, .wild])
        #expect(try connection.decode(Int16.self, "VALUES (3), (-4)") == [3, -4])
    }

    // MARK: Nested values

    private struct Nested: Decodable { var inner: One<Int> }

    @Test(
        "Nested values are JSON, and an error names the column and not the value",
        .withFoundation)
    func nested() throws {
        let inner = "'{\"x\": 3}' AS inner" as String
        #expect(try decode(Nested.self, "SELECT 1 AS x, \(verbatim: inner)").inner.x == 3)
        #expect(try decode(One<[Int]>.self, "SELECT '[1, 2]' AS x").x == [1, 2])
        let object = try mismatch(Nested.self, "SELECT 1 AS x, 'hunter2' AS inner")
        #expect(object.message.contains("inner"))
        let list = try mismatch(One<[Int]>.self, "SELECT 'hunter2' AS x")
        let map = try mismatch(One<[String: Int]>.self, "SELECT '{\"a\": \"hunter2\"}' AS x")
        for error in [list, map] { #expect(error.message.contains("JSON of column 0 (x)")) }
        _ = try mismatch(One<[Int]>.self, "SELECT NULL AS x")
        _ = try mismatch(One<[Int]>.self, "SELECT x'00' AS x")
        _ = try mismatch([Int].self, "SELECT 1")
    }
}
