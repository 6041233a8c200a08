import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("An independent reader of cells")
struct CellReaderTests {
    private struct Request: Encodable {
        var field_key = Hex.encode(CellWorkbench.fieldKey)
        var dataset = Hex.encode(CellWorkbench.dataset)
        var cell: String
        var column: UInt32 = 7
        var identity: String?
        var key: [[CellReader.Part]]?
    }

    private static let row = [[CellReader.Part.tag(1), .text("8000000000000005")]]

    @Test(
        "It opens what we seal, of every type, padded or not",
        .enabled(if: PythonReader.isPresent, PythonReader.missing),
        arguments: [CellPadding.none, .multiple(of: 16)], [nil, CellWorkbench.identity])
    func opens(_ padding: CellPadding, _ identity: [UInt8]?) throws {
        let cipher = try CellWorkbench.cipher(identity: identity, padding: padding)
        var requests: [Request] = []
        var due: [String] = []
        for value in CellTests.values {
            let cell = try cipher.seal(value, at: .row(.min + 5))
            requests.append(Request(cell: Hex.encode(cell), identity: identity.map { Hex.encode($0) }, key: Self.row))
            var plaintext = [UInt8](
                repeating: 0, count: try CellPlaintext.length(of: value, .none))
            var span = plaintext.mutableSpan
            CellPlaintext.write(value, .none, to: &span)
            due.append("\(plaintext[0]) \(Hex.encode(Array(plaintext[1...])))")
        }
        #expect(try CellReader.answers(requests) == due)
    }

    @Test(
        "It opens cells bound to other keys and to none, and refuses moved or changed ones",
        .enabled(if: PythonReader.isPresent, PythonReader.missing))
    func refuses() throws {
        let cipher = try CellWorkbench.cipher()
        let named = try cipher.seal(.text("a"), at: .key([.text("dé"), .blob([])]))
        let anywhere = try cipher.seal(.blob([0]), at: .column)
        var changed = anywhere
        changed[changed.count - 1] ^= 1
        let key: [[CellReader.Part]] = [[.tag(3), .text("64c3a9")], [.tag(4), .text("")]]
        let outcome = try CellReader.answers([
            Request(cell: Hex.encode(named), key: key), Request(cell: Hex.encode(anywhere), key: nil),
            Request(cell: Hex.encode(named), key: nil), Request(cell: Hex.encode(anywhere), key: key),
            Request(cell: Hex.encode(named), column: 8, key: key), Request(cell: Hex.encode(changed), key: nil),
            Request(cell: Hex.encode(Array(anywhere[..<45])), key: nil),
        ])
        #expect(
            outcome == ["3 61", "4 00", "forged", "forged", "forged", "forged", "malformed"])
    }

    @Test(
        "It opens streams of any length, padded or not, and values over 1 MiB",
        .enabled(if: PythonReader.isPresent, PythonReader.missing),
        arguments: [CellPadding.none, .multiple(of: 1000)])
    func opensStreams(_ padding: CellPadding) throws {
        let bench = try SealedBlobWorkbench()
        let connection = try bench.open(padding: padding)
        let own = try Self.identity(connection)
        var requests: [Request] = []
        var due: [String] = []
        for count in [0, 1, 16_383, 16_384, 40_000] {
            let bytes = SealedBlobWorkbench.bytes(count)
            try connection.write(bytes, toReel: 2)
            let cell = try connection.cell(ofReel: 2)
            requests.append(Request(cell: Hex.encode(cell), column: 1, identity: own, key: Self.second))
            due.append("4 \(Hex.encode(bytes))")
        }
        let bytes = SealedBlobWorkbench.bytes(1 << 20 + 1)
        for identity in [nil, CellWorkbench.identity] {
            let cipher = try CellWorkbench.cipher(identity: identity, padding: padding)
            let cell = try cipher.seal(.blob(bytes), at: .column)
            requests.append(Request(cell: Hex.encode(cell), identity: identity.map { Hex.encode($0) }))
            due.append("4 \(Hex.encode(bytes))")
        }
        // Keeps a failure message from comparing two lines of 2 MiB letter by letter.
        let isRight = try CellReader.answers(requests) == due
        #expect(isRight)
    }

    /// The identity of the bench's column.
    private static func identity(_ connection: borrowing Connection) throws -> String {
        Hex.encode(try #require(try connection.sealedColumns.first?.identity))
    }

    private static let second = [[CellReader.Part.tag(1), .text("0000000000000002")]]

    @Test(
        "It refuses streams that were moved, cut, spliced or changed",
        .enabled(if: PythonReader.isPresent, PythonReader.missing))
    func refusesStreams() throws {
        let bench = try SealedBlobWorkbench()
        let connection = try bench.open()
        let own = try Self.identity(connection)
        try connection.write(SealedBlobWorkbench.bytes(40_000), toReel: 2)
        let cell = try connection.cell(ofReel: 2)
        let border = CellFormat.chunked.headerLength + 2 * ChunkedLayout.sealedChunkLength
        var changed: [[UInt8]] = [
            cell, cell, Array(cell[..<border]), Array(cell[..<(border - 1)]),
            Array(cell[..<61]), cell + [0],
        ]
        for place in [5, 29, 61, border - 1, cell.count - 1] {
            changed.append(cell)
            changed[changed.count - 1][place] ^= 1
        }
        var requests = changed.map {
            Request(cell: Hex.encode($0), column: 1, identity: own, key: Self.second)
        }
        requests[1].key = Self.row
        let outcome = try CellReader.answers(requests)
        #expect(outcome[0].hasPrefix("4 "))
        let others = outcome.dropFirst()
        #expect(others.map { $0 == "malformed" } == others.indices.map { $0 == 4 })
        #expect(others.allSatisfy { ["forged", "malformed"].contains($0) })
    }

    private static func deterministic(
        _ padding: CellPadding = .none, _ identity: [UInt8]? = nil
    ) throws -> ColumnCipher {
        try CellWorkbench.cipher(identity: identity, mode: .deterministic, padding: padding)
    }

    @Test(
        "It opens deterministic cells of every type in any row, padded or not",
        .enabled(if: PythonReader.isPresent, PythonReader.missing),
        arguments: [CellPadding.none, .multiple(of: 16)], [nil, CellWorkbench.identity])
    func opensDeterministic(_ padding: CellPadding, _ identity: [UInt8]?) throws {
        let cipher = try Self.deterministic(padding, identity)
        var requests: [Request] = []
        var due: [String] = []
        for value in CellTests.values {
            let cell = try cipher.seal(value, at: .column)
            #expect(cell.first == (identity == nil ? 0xFA : 0xFD))
            #expect(try cell == cipher.seal(value, at: .column))
            var plaintext = [UInt8](
                repeating: 0, count: try CellPlaintext.length(of: value, .none))
            var span = plaintext.mutableSpan
            CellPlaintext.write(value, .none, to: &span)
            for key in [nil, Self.row] {
                requests.append(Request(cell: Hex.encode(cell), identity: identity.map { Hex.encode($0) }, key: key))
                due.append("\(plaintext[0]) \(Hex.encode(Array(plaintext[1...])))")
            }
        }
        #expect(try CellReader.answers(requests) == due)
    }

    @Test("The article's deterministic cell is what the library makes, and opens") func deterministicExample() throws {
        let cell = try Self.deterministic().seal(.integer(-2), at: .column)
        #expect(
            Hex.encode(cell) == "fa00000003e25505cf561c96d4a338e0a1eea18e3a471a3fdb9e7fb43e43")
        let article = try String(
            contentsOfFile: Programs.package.appending("Sources/Lockstep/Lockstep.docc/SealedCells.md").string,
            encoding: .utf8)
        let key = try CellWorkbench.keys().columnKey(UInt32(7).bigEndianBytes, version: 3, format: 0xFA, count: 64)
        let digits = article.filter { !$0.isWhitespace }
        #expect(digits.contains(Hex.encode(cell)))
        #expect(digits.contains(Hex.encode(Secrets.bytes(of: key))))
    }

    @Test(
        "It refuses deterministic cells of another column, dataset or version, changed or cut",
        .enabled(if: PythonReader.isPresent, PythonReader.missing))
    func refusesDeterministic() throws {
        let cell = try Self.deterministic().seal(.text("Laura"), at: .column)
        var requests = [
            Request(cell: Hex.encode(cell), column: 8),
            Request(dataset: String(repeating: "00", count: 16), cell: Hex.encode(cell)),
            Request(cell: Hex.encode([0xF9] + cell.dropFirst() + [UInt8](repeating: 0, count: 20))),
        ]
        for place in 4..<cell.count {
            var changed = cell
            changed[place] ^= 1
            requests.append(Request(cell: Hex.encode(changed)))
        }
        requests.append(Request(cell: Hex.encode(cell.dropLast())))
        let outcome = try CellReader.answers(requests)
        #expect(outcome.allSatisfy { $0 == "forged" }, "\(outcome)")
        #expect(
            try CellReader.answers([Request(cell: Hex.encode(Array(cell[..<21])))])
                == ["malformed"])
    }
}
