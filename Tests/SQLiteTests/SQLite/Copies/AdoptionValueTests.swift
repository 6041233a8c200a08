import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Every kind of value keeps its type and its bits.
@Suite("Adoption: values")
struct AdoptionValueTests {
    private let scratch: CopyScratch

    init() throws { scratch = try CopyScratch() }

    /// All bytes; for a text, the bytes depend on the encoding.
    private static func dump(_ encoding: String) -> String {
        let bytes = encoding == "UTF-8" ? "hex(x)" : "iif(typeof(x) = 'blob', hex(x), '')"
        return "SELECT id || typeof(x) || coalesce(length(x) || quote(x) || \(bytes), '') FROM t " + "ORDER BY id"
    }

    private func adopt(_ values: [String], encoding: String = "UTF-8") throws {
        let rows = values.map { "INSERT INTO t (x) VALUES (\($0))" }.joined(separator: ";")
        try scratch.makePlaintext("PRAGMA encoding = '\(encoding)'", "CREATE TABLE t (id INTEGER PRIMARY KEY, x)", rows)
        let report = try scratch.adoptWhole([Self.dump(encoding)])
        #expect(report.copy.rows == ["t": values.count])
    }

    @Test("Integers at the limits of every width, and NULL")
    func integers() throws {
        var values = ["NULL", "0", "1", "-9223372036854775808", "9223372036854775807"]
        for bits in [7, 8, 15, 16, 23, 24, 31, 32, 47, 48] {
            let border = Int64(1) << bits
            values += [border - 1, border, -border, -border - 1].map(String.init)
        }
        try adopt(values)
    }

    @Test("Floating-point numbers: infinities, the smallest, integral ones, negative zero") func reals() throws {
        try adopt([
            "9e999", "-9e999", "5e-324", "1.7976931348623157e308", "2.0", "-0.0", "0.1",
            "9007199254740993.0", "1e15", "-4503599627370497.5",
        ])
        let connection = try scratch.new.open()
        let numbers = try connection.query("SELECT x FROM t ORDER BY id") { row in
            try row[0] as Double
        }
        #expect(numbers[0] == .infinity && numbers[1] == -.infinity)
        #expect(numbers[2] == .leastNonzeroMagnitude)
    }

    @Test("Negative zero keeps its sign where the original has it")
    func minusZero() throws {
        // A bound value is stored unchanged; a literal is not.
        try Bytes.write([], to: scratch.old.path)
        do {
            let original = try ExternalDatabase.makePlaintext(scratch.old.path)
            try original.execute("CREATE TABLE t (x, r REAL)")
            try original.execute("INSERT INTO t VALUES (?, ?)", -0.0, -0.0)
        }
        try scratch.adoptWhole(["SELECT typeof(x) || typeof(r) FROM t"])
        let number: Double? = try scratch.new.open().value("SELECT x FROM t")
        #expect(number == 0 && number?.sign == .minus)
    }

    @Test("BLOBs of 0 bytes, 1 byte, about a page, and a megabyte")
    func blobs() throws {
        try adopt(
            ["x''", "zeroblob(0)", "x'00'"]
                + [4014, 4015, 4016, 4017, 4095, 4096, 4097, 1_000_000].map { "randomblob(\($0))" })
    }

    @Test(
        "Texts with NUL bytes or invalid UTF-8 are copied byte for byte",
        arguments: ["UTF-8", "UTF-16le"])
    func texts(_ encoding: String) throws {
        var values = ["''", "char(0)", "'a' || char(0) || 'b'", "char(0xFEFF) || 'x'", "'\u{10FFFF}'"]
        if encoding == "UTF-8" {
            values += ["ff61", "c3", "eda080", "f8888080", "e28200"].map {
                "CAST(x'\($0)' AS TEXT)"
            }
        }
        try adopt(values, encoding: encoding)
    }

    @Test("Values that a column's affinity would convert are not converted again")
    func affinity() throws {
        try scratch.makePlaintext(
            """
            CREATE TABLE u (n NUMERIC, i INTEGER, r REAL, t TEXT, b BLOB);
            INSERT INTO u VALUES ('1e3', '2.0', 3, 4.50, '5'), ('x', 'y', 'z', x'00', 1.0),
                (1e400, 9e18, 9007199254740993, 1e3, 1);
            """)
        try scratch.adoptWhole([
            "SELECT "
                + ["n", "i", "r", "t", "b"].map { "typeof(\($0)) || quote(\($0))" }
                .joined(separator: " || ") + " FROM u ORDER BY rowid"
        ])
    }
}
