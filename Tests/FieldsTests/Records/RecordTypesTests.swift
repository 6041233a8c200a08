#if Foundation
import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Types of a record's properties")
final class RecordTypesTests {
    private let db: Connection
    private var random = SplitMix64(state: 4100)

    init() throws {
        db = try Connection.inMemory()
        try db.run(script: "CREATE TABLE box (id INTEGER PRIMARY KEY, x)")
    }

    // MARK: Round trips

    private func trips<Element: Codable & Sendable & Equatable>(
        _ type: String, _ location: SourceLocation = #_sourceLocation, _ make: (inout SplitMix64) -> Element
    ) throws {
        let boxes = (1...20_000).map { Box(id: $0, x: make(&random)) }
        try db.insert(all: boxes)
        let back = try db.decode(Box<Element>.self, "SELECT * FROM box ORDER BY id")
        let differing = zip(boxes, back).first { $0 != $1 }
        #expect(back.count == boxes.count && differing == nil, sourceLocation: location)
        let strange = try db.value("SELECT count(*) FROM box WHERE typeof(x) NOT IN (?, 'null')", type, as: Int.self)
        #expect(strange == 0, sourceLocation: location)
    }

    private static func text(_ random: inout SplitMix64) -> String {
        String(
            String.UnicodeScalarView(
                (0..<Int.random(in: 0...12, using: &random)).compactMap { _ in
                    Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random))
                }))
    }

    private static func bytes(_ random: inout SplitMix64) -> [UInt8] {
        (0..<Int.random(in: 0...40, using: &random)).map { _ in
            .random(in: 0...255, using: &random)
        }
    }

    @Test("20,000 integers of each width")
    func integers() throws {
        try trips("integer") { Int64.random(in: .min ... .max, using: &$0) }
        try clear()
        try trips("integer") { Int8.random(in: .min ... .max, using: &$0) }
        try clear()
        try trips("integer") { UInt16.random(in: .min ... .max, using: &$0) }
        try clear()
        try trips("integer") { UInt64.random(in: 0...UInt64(Int64.max), using: &$0) }
        try clear()
        try trips("integer") {
            Bool.random(using: &$0) ? Int.random(in: .min ... .max, using: &$0) : nil
        }
    }

    @Test("20,000 numbers, truth values, texts and byte strings")
    func plain() throws {
        try trips("real") {
            let number = Double(bitPattern: .random(in: .min ... .max, using: &$0))
            return number.isNaN ? 0.5 : number
        }
        try clear()
        try trips("real") { Float.random(in: -1e30...1e30, using: &$0) }
        try clear()
        try trips("integer") { Bool.random(using: &$0) }
        try clear()
        try trips("text") { Self.text(&$0) }
        try clear()
        try trips("blob") { Self.bytes(&$0) }
        try clear()
        try trips("blob") { Bool.random(using: &$0) ? Data(Self.bytes(&$0)) : nil }
    }

    @Test("20,000 dates, to the microsecond")
    func dates() throws {
        try trips("text") {
            // What a date between 1900 and 2200 stores exactly.
            let text = DateText(
                Date(timeIntervalSince1970: .random(in: -2e9...7e9, using: &$0)))
            return text.map { Date($0) }
        }
    }

    @Test("20,000 UUIDs, URLs and decimal numbers")
    func foundationTypes() throws {
        try trips("text") { random in
            UUID((0..<16).map { _ in .random(in: 0...255, using: &random) })
        }
        try clear()
        try trips("text") {
            URL(
                string:
                    "https://example.org/\(UInt64.random(in: .min ... .max, using: &$0))?q=%20")
        }
        try clear()
        try trips("text") {
            Decimal(
                sign: Bool.random(using: &$0) ? .plus : .minus, exponent: .random(in: -40...40, using: &$0),
                significand: Decimal(UInt64.random(in: .min ... .max, using: &$0)))
        }
    }

    private enum Mood: String, Codable, CaseIterable { case calm, wild }
    private struct Inner: Codable, Equatable {
        var words: [String: [Int]]
        var day: Date?
        var data: Data
    }

    @Test("20,000 raw values, and structures as JSON")
    func nested() throws {
        try trips("text") { Bool.random(using: &$0) ? Mood.calm : .wild }
        try clear()
        try trips("text") { random in (0..<4).map { _ in Self.text(&random) } }
        try clear()
        try trips("text") { random in
            Inner(
                words: [
                    Self.text(&random): [1, .random(in: -9...9, using: &random)], "b": [],
                ],
                day: Bool.random(using: &random) ? Date(timeIntervalSince1970: 1.5) : nil,
                data: Data(Self.bytes(&random)))
        }
    }

    private func clear() throws { try db.execute("DELETE FROM box") }

    // MARK: Forms

    @Test("Each type is stored in the form that is documented")
    func forms() throws {
        let date = Date(timeIntervalSince1970: 1_763_864_000.123_456)
        #expect(try stored(date) == .text("2025-11-23T02:13:20.123456Z"))
        let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        #expect(try stored(id) == .text("E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        #expect(try stored(Data([1, 2])) == .blob([1, 2]))
        #expect(try stored([UInt8]()) == .blob([]))
        #expect(try stored(URL(string: "https://a.b/c")) == .text("https://a.b/c"))
        #expect(try stored(Decimal(string: "-12.50")) == .text("-12.5"))
        #expect(try stored(Mood.wild) == .text("wild"))
        #expect(try stored(nil as Date?) == .null)
        #expect(try stored(true) == .integer(1))
        #expect(try stored(Float(0.5)) == .real(0.5))
        #expect(try stored(UInt64(Int64.max)) == .integer(.max))
        #expect(try stored(["b": 1, "a": 2]) == .text(#"{"a":2,"b":1}"#))
        #expect(try stored([date]) == .text(#"["2025-11-23T02:13:20.123456Z"]"#))
        #expect(try stored(["/"]) == .text(#"["/"]"#))
    }

    private func stored(_ value: some Codable & Sendable & Equatable) throws -> Value {
        try clear()
        try db.insert(Box(id: 1, x: value))
        return try #require(try db.value("SELECT x FROM box", as: Value.self))
    }

    @Test("Foundation's values are interpolated into SQL and read from columns") func interpolation() throws {
        let date = Date(timeIntervalSince1970: 1.5)
        let (id, url, number) = (UUID(), URL(string: "https://a.b/"), Decimal(string: "0.1"))
        let row = try db.query(
            "SELECT \(date), \(id), \(url), \(number), \(Data([1])), \(nil as Date?)",
            as: (Date, UUID, URL, Decimal, Data, Date?).self
        ).first
        let (first, second, third, fourth, fifth, sixth) = try #require(row)
        #expect((first, second, third) == (date, id, url))
        #expect((fourth, fifth, sixth) == (number, Data([1]), nil))
        #expect(try db.decode(Date.self, "SELECT \(date)") == [date])
        #expect(try db.decode(UUID.self, "SELECT \(id)") == [id])
        Refusal.expect(.constraint) { try db.execute("SELECT \(Date.distantFuture + 1e12)") }
    }

    // MARK: Storage classes

    /// Reads each storage class as the type: only values in `readable` are read, and no other is taken for another
    /// value.
    private func read<Element: Codable & Sendable & Equatable>(
        _ type: Element.Type, _ readable: [String: Element], refused: [String] = [],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let literals = ["NULL", "7", "7.5", "'7'", "'hunter2'", "''", "x'07'", "x''", "'[7]'"]
        for literal in literals + refused + readable.keys {
            let sql: SQL = "SELECT 1 AS id, \(verbatim: literal) AS x"
            if let expected = readable[literal] {
                #expect(
                    try db.decode(Box<Element>.self, sql).first?.x == expected, "\(literal)", sourceLocation: location)
            } else {
                let error = Refusal.error(.decodeMismatch, sourceLocation: location) {
                    _ = try db.decode(Box<Element>.self, sql)
                }
                #expect(
                    error?.description.contains("hunter2") == false, sourceLocation: location)
                #expect(error?.message.contains("(x)") == true, sourceLocation: location)
            }
        }
    }

    @Test("Each storage class is read right or refused")
    func storageClasses() throws {
        try read(Int.self, ["7": 7])
        try read(UInt8.self, ["7": 7, "255": 255])
        try read(Bool.self, ["7": true, "0": false])
        try read(
            Double.self,
            [
                "7": 7, "7.5": 7.5, "9007199254740992": 9_007_199_254_740_992,
                "-9007199254740994": -9_007_199_254_740_994, "9e999": .infinity,
            ], refused: ["9007199254740993", "-9007199254740993", "9223372036854775807"])
        try read(
            Float.self,
            [
                "7": 7, "7.5": 7.5, "0.1": 0.1, "16777216": 16_777_216,
                "1e-40": Float(1e-40 as Double), "0.0": 0,
                "-9e999": -.infinity, "16777217.0": 16_777_216,
            ], refused: ["1e300", "-1e39", "1e-300", "16777217", "9007199254740993"])
        try read(String.self, ["'7'": "7", "'hunter2'": "hunter2", "''": "", "'[7]'": "[7]"])
        try read([UInt8].self, ["x'07'": [7], "x''": []])
        try read(Data.self, ["x'07'": Data([7]), "x''": Data()])
        try read(Date.self, ["'1970-01-01 00:00:07'": Date(timeIntervalSince1970: 7)])
        let id = UUID()
        try read(UUID.self, ["'\(id.uuidString.lowercased())'": id])
        try read([Int].self, ["'[7]'": [7]])
        try read(Mood.self, ["'wild'": .wild])
        try read(
            Decimal.self,
            [
                "'7'": 7, "'-007.50'": try #require(Decimal(string: "-7.5")), "'0.0'": 0,
                "'-0'": 0,
            ])
        try read(Date?.self, ["NULL": nil, "'1970-01-01'": Date(timeIntervalSince1970: 0)])
    }

    @Test("Texts that are not numbers or URLs, and digits that would be lost, are refused") func strictTexts() throws {
        for text in [
            "12abc", "1e5", "+1", "1.", ".5", "--1", "NaN", "1,5", " 1", "",
            String(repeating: "1", count: 40), "0." + String(repeating: "1", count: 45),
        ] {
            Refusal.expect(.decodeMismatch) {
                _ = try db.decode(Box<Decimal>.self, "SELECT 1 AS id, \(text) AS x")
            }
        }
        Refusal.expect(.decodeMismatch) {
            _ = try db.decode(Box<URL>.self, "SELECT 1 AS id, '' AS x")
        }
    }

    @Test("A number where a date's text is expected names the strategies")
    func numberAsDate() throws {
        let error = Refusal.error(.decodeMismatch) {
            _ = try db.decode(Box<Date>.self, "SELECT 1 AS id, 1.5 AS x")
        }
        #expect(error?.message.contains("column 1 (x) is REAL, not a date as TEXT") == true)
        #expect(error?.hint?.contains(".secondsSince1970") == true)
        let february = Refusal.error(.decodeMismatch) {
            _ = try db.decode(Box<Date>.self, "SELECT 1 AS id, '2025-02-30' AS x")
        }
        #expect(february?.message.contains("a date that exists") == true)
        let bytes = Refusal.error(.decodeMismatch) {
            _ = try db.decode(Box<UUID>.self, "SELECT 1 AS id, randomblob(16) AS x")
        }
        #expect(bytes?.hint?.contains(".blob") == true)
    }

    // MARK: Strategies

    private struct Moments: Record, Equatable {
        var id: Int64?
        var seconds: Date
        var milliseconds: Date?
        var microseconds: Date
        var reference: Date
        var text: Date?
        var key: UUID
        var other: UUID?

        static func dates(for column: String) -> DateColumns {
            switch column {
            case "seconds": .secondsSince1970
            case "milliseconds": .millisecondsSince1970
            case "microseconds": .microsecondsSince1970
            case "reference": .secondsSince2001
            default: .iso8601
            }
        }

        static func uuids(for column: String) -> UUIDColumns { column == "key" ? .blob : .text }
    }

    @Test("Columns store dates and UUIDs as their record says")
    func strategies() throws {
        try db.run(
            script: """
                CREATE TABLE moments (id INTEGER PRIMARY KEY, seconds, milliseconds, microseconds,
                    reference, text, key, other)
                """)
        let date = Date(timeIntervalSince1970: 1_763_864_000.125)
        var row = Moments(
            seconds: date, milliseconds: date, microseconds: date, reference: date, text: date,
            key: UUID(), other: UUID())
        row = try db.insert(row)
        #expect(row.seconds == date && row.milliseconds == date && row.microseconds == date)
        #expect(row.reference == date && row.text == date)
        let types = try db.query("SELECT * FROM moments") { row in
            try (1..<8).map { column in try row[column] as Value }
        }
        #expect(
            types == [
                [
                    .real(1_763_864_000.125), .integer(1_763_864_000_125), .integer(1_763_864_000_125_000),
                    .real(785_556_800.125), .text("2025-11-23T02:13:20.125000Z"), .blob(row.key.bytes),
                    .text(row.other?.uuidString ?? ""),
                ]
            ])
        try db.execute("UPDATE moments SET seconds = 7, milliseconds = NULL, other = NULL")
        let read = try #require(try db.decode(Moments.self, "SELECT * FROM moments").first)
        #expect(read.seconds == Date(timeIntervalSince1970: 7))
        #expect(read.milliseconds == nil && read.other == nil)
        for change in ["seconds = '2025-11-23'", "milliseconds = x'00'", "key = 'text'", "key = x'00'"] {
            try db.savepoint { db in
                try db.execute("UPDATE moments SET \(verbatim: change)")
                let error = Refusal.error(.decodeMismatch) {
                    _ = try db.decode(Moments.self, "SELECT * FROM moments")
                }
                #expect(error?.hint?.contains("says how it is stored") == true)
                try db.execute("UPDATE moments SET seconds = 7, milliseconds = 7, key = \(row.key.bytes)")
            }
        }
    }
}
#endif
