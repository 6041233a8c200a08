import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Round trips of values")
struct ValueRoundTripTests {
    private let scratch: DatabaseScratch

    init() throws { scratch = try DatabaseScratch() }

    /// The result of reading `value` back, once directly and once from a column of the file.
    private func roundTrip<Element: Bindable & ColumnDecodable>(
        _ value: Element
    ) throws -> [Element] {
        let connection = try Connection.create(
            scratch.folder.file("\(UInt64.random(in: .min ... .max)).db"), key: scratch.key())
        try connection.execute("CREATE TABLE t (a ANY) STRICT")
        try connection.execute("INSERT INTO t VALUES (?)", value)
        return try connection.query("SELECT ? UNION ALL SELECT a FROM t", value) { row in
            try row[0] as Element
        }
    }

    @Test(
        "Integers keep all their bits",
        arguments: [
            Int64.min, -9_223_372_036_854_775_807, -4_294_967_296, -129, -1, 0, 1, 127, 128,
            4_294_967_296, 9_007_199_254_740_993, 9_223_372_036_854_775_806, Int64.max,
        ] as [Int64])
    func integers(_ value: Int64) throws {
        #expect(try roundTrip(value) == [value, value])
        #expect(try roundTrip(Int(value)) == [Int(value), Int(value)])
        #expect(try roundTrip(Value.integer(value)) == [.integer(value), .integer(value)])
    }

    @Test(
        "Numbers keep all their bits, including the sign of zero and the infinities",
        arguments: [
            0.0, -0.0, 1, -1, 0.1, .pi, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude,
            -.greatestFiniteMagnitude, .infinity, -.infinity, 1e300, 9_007_199_254_740_992, .ulpOfOne,
        ] as [Double])
    func reals(_ value: Double) throws {
        #expect(try roundTrip(value).map(\.bitPattern) == [value.bitPattern, value.bitPattern])
    }

    @Test("NaN becomes NULL", arguments: [Double.nan, -.nan, .signalingNaN])
    func nan(_ value: Double) throws {
        #expect(try roundTrip(Optional(value)) == [nil, nil])
        #expect(throws: LockstepError.self) { try roundTrip(value) }
    }

    @Test("Booleans are 0 and 1, and every other integer is true")
    func booleans() throws {
        #expect(try roundTrip(true) == [true, true])
        #expect(try roundTrip(false) == [false, false])
        let connection = try scratch.create()
        #expect(try connection.value("SELECT ?", true, as: Int64.self) == 1)
        #expect(try connection.value("SELECT ?", false, as: Int64.self) == 0)
        #expect(try connection.value("SELECT -2", as: Bool.self) == true)
    }

    @Test("A UInt32 is bound as the same integer")
    func unsigned() throws {
        let connection = try scratch.create()
        #expect(try connection.value("SELECT ?", UInt32.max, as: Int64.self) == 4_294_967_295)
    }

    private static let samples = [
        "", " ", "a", "\0", "a\0b", "\0\0end\0", "Zürich", "e\u{301}", "é", "日本語", "👩‍👩‍👧‍👦🏴‍☠️",
        "\u{FEFF}bom", "\u{10FFFF}", "'; DROP TABLE t; --", "\"", "\r\n\t", "\u{202E}rtl",
    ]

    @Test("Texts keep their bytes", arguments: samples)
    func texts(_ value: String) throws {
        for back in try roundTrip(value) { #expect(Array(back.utf8) == Array(value.utf8)) }
        let connection = try scratch.create()
        #expect(try connection.value("SELECT typeof(?)", value) == "text")
        #expect(try connection.value("SELECT octet_length(?)", value) == value.utf8.count)
    }

    @Test("A text and a blob of 10 MB come back unchanged")
    func large() throws {
        let text = String(repeating: "0123456789äöü—🔐", count: 400_000)
        #expect(text.utf8.count > 9_000_000)
        #expect(try roundTrip(text).allSatisfy { $0 == text })
        let blob = (0..<10_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try roundTrip(blob).allSatisfy { $0 == blob })
    }

    @Test(
        "Blobs keep their bytes, including zeros and invalid UTF-8",
        arguments: [[], [0], [0, 0, 0], [0xFF], [0xC3, 0x28], Array(0...255)])
    func blobs(_ value: [UInt8]) throws {
        #expect(try roundTrip(value) == [value, value])
        let connection = try scratch.create()
        #expect(try connection.value("SELECT typeof(?)", value) == "blob")
    }

    @Test("An empty text, an empty blob and NULL are three different values")
    func emptiness() throws {
        let connection = try scratch.create()
        let sql = "SELECT typeof(?), typeof(?), typeof(?)"
        let types = try connection.query(SQL(verbatim: sql), "", [UInt8](), String?.none) { row in
            [try row[0] as String, try row[1], try row[2]]
        }
        #expect(types == [["text", "blob", "null"]])
        #expect(try roundTrip(String?("")) == ["", ""])
        #expect(try roundTrip([UInt8]?([])) == [[], []])
        #expect(try roundTrip(String?.none) == [nil, nil])
        #expect(try roundTrip([UInt8]?.none) == [nil, nil])
    }

    @Test("Optionals of every type are a value or NULL")
    func optionals() throws {
        #expect(try roundTrip(Int64?(5)) == [5, 5])
        #expect(try roundTrip(Int64?.none) == [nil, nil])
        #expect(try roundTrip(Int?.none) == [nil, nil])
        #expect(try roundTrip(Bool?(false)) == [false, false])
        #expect(try roundTrip(Bool?.none) == [nil, nil])
        #expect(try roundTrip(Double?(0.5)) == [0.5, 0.5])
        #expect(try roundTrip(Double?.none) == [nil, nil])
    }

    @Test(
        "A Value keeps its storage class",
        arguments: [
            Value.null, .integer(0), .integer(.min), .real(0), .real(-1.5), .text(""), .text("1"),
            .blob([]), .blob([0x31]),
        ])
    func values(_ value: Value) throws {
        #expect(try roundTrip(value) == [value, value])
        let connection = try scratch.create()
        let type: String? = try connection.value("SELECT upper(typeof(?))", value)
        #expect(type == value.typeName)
    }

    @Test("An integer is accepted where a floating-point number is requested") func integerAsDouble() throws {
        let connection = try scratch.create()
        #expect(try connection.value("SELECT 3", as: Double.self) == 3)
        let least = try connection.value("SELECT ?", Int64.min, as: Double.self)
        #expect(least == -9_223_372_036_854_775_808)
    }

    // SQLite stores integral numbers of REAL columns as integers on disk, which have no -0.
    @Test("A zero in a REAL column is a REAL without its sign", arguments: [-0.0, 0.0])
    func realColumn(_ zero: Double) throws {
        let connection = try scratch.create()
        try connection.execute("CREATE TABLE r (a REAL)")
        try connection.execute("INSERT INTO r VALUES (?)", zero)
        #expect(try connection.value("SELECT a FROM r") == Value.real(0))
    }
}
