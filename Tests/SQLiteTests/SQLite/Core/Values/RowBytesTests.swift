import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Direct access to a row's bytes")
final class RowBytesTests {
    private let connection: Connection

    init() throws { connection = try Connection.inMemory() }

    private static func copy(_ row: borrowing Row, _ column: Int) throws -> [UInt8] {
        let span = try row.bytes(column)
        return span.withUnsafeBytes { Array($0) }
    }

    /// The refusal of a request for a column's bytes.
    private static func refusal(_ row: borrowing Row, _ column: Int) -> LockstepError? {
        do throws(LockstepError) {
            _ = try row.bytes(column)
            return nil
        } catch {
            return error
        }
    }

    private static let texts = ["", "a", "\0", "a\0b", "Zürich", "日本語", "👩‍👩‍👧‍👦", String(repeating: "äx", count: 500_000)]

    @Test("A TEXT's bytes are its UTF-8, in whichever form it is read first", arguments: texts)
    func texts(_ text: String) throws {
        try connection.execute("CREATE TABLE t (a)")
        try connection.execute("INSERT INTO t VALUES (?)", text)
        for sql in ["SELECT a FROM t", "SELECT a || '' FROM t"] as [SQL] {
            let statement = try connection.prepare(sql)
            try statement.forEach { (row: borrowing Row) throws in
                let bytes = try Self.copy(row, 0)
                #expect(bytes.elementsEqual(text.utf8))
                #expect(try row[0] as String == text)
                #expect(try Self.copy(row, 0) == bytes)
            }
            try statement.forEach { (row: borrowing Row) throws in
                #expect(try row[0] as String == text)
                #expect(try Self.copy(row, 0).elementsEqual(text.utf8))
                #expect(try row[0] as Value == .text(text))
            }
        }
    }

    @Test("A BLOB's bytes are its content", arguments: [0, 1, 4096, 1 << 20])
    func blobs(_ count: Int) throws {
        let blob = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        try connection.execute("CREATE TABLE t (a)")
        try connection.execute("INSERT INTO t VALUES (?)", blob)
        try connection.prepare("SELECT a, zeroblob(\(count)) FROM t").forEach {
            (row: borrowing Row) throws in
            #expect(try Self.copy(row, 0) == blob)
            #expect(try row[0] as [UInt8] == blob)
            #expect(try Self.copy(row, 0) == blob)
            #expect(try Self.copy(row, 1) == [UInt8](repeating: 0, count: count))
            #expect(try row[1] as [UInt8] == [UInt8](repeating: 0, count: count))
        }
    }

    @Test("Lent bytes stay the same after the same column is read in every other form") func stable() throws {
        try connection.prepare("SELECT 'te' || 'xt', zeroblob(3)").forEach {
            (row: borrowing Row) throws in
            let text = try row.bytes(0)
            let zeros = try row.bytes(1)
            _ = try row[0] as String
            _ = try row[0] as Value
            _ = try row.leniently(0)
            _ = try row[1] as [UInt8]
            #expect(text.withUnsafeBytes { Array($0) } == Array("text".utf8))
            #expect(zeros.withUnsafeBytes { Array($0) } == [0, 0, 0])
        }
    }

    @Test("A TEXT with invalid UTF-8 has bytes, no String, and a lenient form")
    func invalid() throws {
        try connection.prepare("SELECT CAST(x'61FF62' AS TEXT) AS t").forEach {
            (row: borrowing Row) throws in
            #expect(try Self.copy(row, 0) == [0x61, 0xFF, 0x62])
            Refusal.expect(.decodeMismatch) { _ = try row[0] as String }
            #expect(try row.leniently(0) == .text("a\u{FFFD}b"))
            #expect(try Self.copy(row, 0) == [0x61, 0xFF, 0x62])
        }
    }

    @Test(
        "Numbers and NULL have no bytes, and the error names their type",
        arguments: [("7", "INTEGER"), ("7.5", "REAL"), ("NULL", "NULL")])
    func others(_ literal: String, _ type: String) throws {
        try connection.prepare("SELECT \(verbatim: literal) AS x").forEach {
            (row: borrowing Row) throws in
            let refusal = Self.refusal(row, 0)
            let error = try #require(refusal)
            #expect(error.code == .decodeMismatch)
            #expect(error.message.hasPrefix("column 0 (x) is \(type), not TEXT or BLOB, in: SELECT "))
            #expect(try (row[0] as Value).typeName == type)
        }
    }

    @Test("An ordinal out of range is an error", arguments: [-1, 1, Int.max, Int.min, 1 << 32])
    func outOfRange(_ column: Int) throws {
        try connection.prepare("SELECT 'hunter2'").forEach { (row: borrowing Row) throws in
            let refusal = Self.refusal(row, column)
            let error = try #require(refusal)
            #expect(error.code == .decodeMismatch)
            #expect(error.message.hasSuffix("the row has 1 column in: SELECT ?"))
            let name = row.name(of: column)
            #expect(name == "")
        }
        Refusal.expect(.decodeMismatch) {
            _ = try connection.query("SELECT 'hunter2'") { row in try row.leniently(column) }
        }
        Refusal.expect(.decodeMismatch) {
            _ = try connection.query("SELECT 'hunter2'") { row in try row[column] as Int? }
        }
    }
}
