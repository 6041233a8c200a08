import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct CellTests {
    /// Cells that another implementation made (Python's `cryptography`, by the format's essay): field key 3 is
    /// 00 … 1f, the dataset a0 … af, the nonce 40 … 57.
    struct Example: Sendable, CustomTestStringConvertible {
        let value: Value
        let column: UInt32
        let binding: CellBinding
        let sealed: String

        var testDescription: String { "\(value.typeName) in column \(column)" }
    }

    static let head = "f900000003404142434445464748494a4b4c4d4e4f5051525354555657"
    static let examples = [
        Example(
            value: .integer(-2), column: 7, binding: .row(42),
            sealed: "73442d3c358c97195f01a70ee1a2382d0f483fe9147a6f75bb"),
        Example(
            value: .text("Dune – Der Wüstenplanet"), column: 7, binding: .row(42),
            sealed:
                "71ffa7adaf538a663246f86ea30e397d2ea7aaf69a182b006eddf4a55da2734eb0523e9c15b51bcd7b38b1"
        ),
        Example(
            value: .null, column: 7, binding: .row(42),
            sealed: "7225e3438945c9558d2ac1b6042bce325b"),
        Example(
            value: .real(-0.0), column: 7, binding: .row(-1),
            sealed: "703bd2c3ca7368e6a1ab0394a9dce0fcf79ab22b74bdaa6287"),
        Example(
            value: .text("Dune"), column: 8, binding: .row(1),
            sealed: "53c74752c307d489649065bf4021502307074a1a25486dac3b3c721770c7c7bc"),
        Example(
            value: .blob([0, 0xFF]), column: 9, binding: .key([.text("dé"), .blob([0, 1]), .integer(5)]),
            sealed: "fe83ed91afb697ee259a0e14499ff8f7ea920e"),
        Example(value: .text("é"), column: 9, binding: .column, sealed: "f940bbc639f2a33b2f3daa429f4e0f881d0f65"),
    ]

    @Test("cells of another implementation open", arguments: examples)
    func knownAnswer(_ example: Example) throws {
        let cell = try #require(Hex.decode(Self.head + example.sealed))
        let cipher = try CellWorkbench.cipher(column: example.column)
        let opened = try cipher.open(cell, at: example.binding)
        #expect(opened == example.value)
        if case .real(let number) = opened { #expect(number.sign == .minus) }
    }

    @Test("a stream of another implementation opens, whole and in its row")
    func knownStream() throws {
        let cell = try #require(
            Hex.decode(
                "fb00000003404142434445464748494a4b4c4d4e4f5051525354555657"
                    + "e94938dcf455c2a794ad141df5e3973fb08eb7603ed204059ba3f5733d8c852e"
                    + "0b6d1dca813254afce0678eac5a7ea7d0bad10830e"))
        #expect(
            try CellWorkbench.cipher().open(cell, at: .row(42)) == .blob(Array("Dune".utf8)))
    }

    static let values: [Value] = [
        .null, .integer(0), .integer(.min), .integer(.max), .real(0), .real(-0.0), .real(.infinity), .real(-.infinity),
        .real(.leastNonzeroMagnitude), .real(.greatestFiniteMagnitude), .text(""), .text("a"), .text("\0"),
        .text("a\0b\0"), .text("e\u{301}"), .text("🎬\u{202E}x"), .text(String(repeating: "ü", count: 100_000)),
        .blob([]), .blob([0]), .blob([0x80]), .blob([0x80, 0, 0]), .blob([UInt8](repeating: 0xF9, count: 70_000)),
    ]
    static let paddings: [CellPadding] = [.none, .multiple(of: 2), .multiple(of: 32), .multiple(of: 65_536)]

    @Test("sealed values open, whatever their type", arguments: values, paddings)
    func roundTrip(_ value: Value, _ padding: CellPadding) throws {
        let cipher = try CellWorkbench.cipher(padding: padding)
        let binding = CellBinding.row(.min)
        let cell = try cipher.seal(value, at: binding)
        let opened = try cipher.open(cell, at: binding)
        #expect(opened == value)
        if case .real(let number) = opened, case .real(let was) = value {
            #expect(number.bitPattern == was.bitPattern)
        }
        let length = cell.count - CellFormat.random.overhead
        if case .multiple(let unit) = padding { #expect(length % unit == 0) }
    }

    @Test("all NaNs become one")
    func notANumber() throws {
        let cipher = try CellWorkbench.cipher()
        let odd = Double(bitPattern: 0xFFF8_0000_DEAD_BEEF)
        let cell = try cipher.seal(.real(odd), at: .row(1))
        guard case .real(let number) = try cipher.open(cell, at: .row(1)) else {
            Issue.record("no number came back")
            return
        }
        #expect(number.bitPattern == Double.nan.bitPattern)
    }

    @Test("a cell is 46 bytes longer than its text, and begins with format and version") func shape() throws {
        let cell = try CellWorkbench.cipher().seal(.text("Dune"), at: .row(1))
        #expect(cell.count == 50)
        #expect(Array(cell[..<5]) == [0xF9, 0, 0, 0, 3])
        let prefix = CellPrefix(cell.span)
        #expect(prefix == CellPrefix(.random, .first, keyVersion: 3))
    }

    @Test("with padding, texts of one class are equally long", arguments: [0, 1, 29, 30])
    func padding(_ count: Int) throws {
        let cipher = try CellWorkbench.cipher(padding: .multiple(of: 32))
        let cell = try cipher.seal(.text(String(repeating: "x", count: count)), at: .row(1))
        #expect(cell.count == CellFormat.random.overhead + 32)
    }

    @Test("one byte more than fits takes the next multiple")
    func paddingBorder() throws {
        let cipher = try CellWorkbench.cipher(padding: .multiple(of: 32))
        let cell = try cipher.seal(.text(String(repeating: "x", count: 31)), at: .row(1))
        #expect(cell.count == CellFormat.random.overhead + 64)
    }

    @Test("no two cells have the same nonce, even across a refill of the supply")
    func nonces() throws {
        let cipher = try CellWorkbench.cipher()
        var seen: Set<ArraySlice<UInt8>> = []
        for _ in 0..<20_000 {
            let cell = try cipher.seal(.null, at: .row(1))
            #expect(seen.insert(cell[5..<29]).inserted)
        }
    }

    @Test("two columns, and two datasets, have separate keys")
    func separation() throws {
        let keys = try CellWorkbench.keys()
        let other = try CellWorkbench.keys(dataset: [UInt8](repeating: 1, count: 16))
        let (seven, eight) = (UInt32(7).bigEndianBytes, UInt32(8).bigEndianBytes)
        let derived = try [
            Secrets.bytes(of: keys.columnKey(seven, version: 3, format: 0xF9)),
            Secrets.bytes(of: keys.columnKey(eight, version: 3, format: 0xF9)),
            Secrets.bytes(of: keys.columnKey(seven, version: 3, format: 0xFA)),
            Secrets.bytes(of: other.columnKey(seven, version: 3, format: 0xF9)),
            Secrets.bytes(of: keys.columnKey(CellWorkbench.identity, version: 3, format: 0xF9)),
            Secrets.bytes(of: keys.columnKey(CellWorkbench.identity, version: 3, format: 0xFC)),
        ]
        #expect(Set(derived).count == derived.count)
    }
}
