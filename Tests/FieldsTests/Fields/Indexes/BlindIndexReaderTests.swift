import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("An independent reader of blind indexes")
struct BlindIndexReaderTests {
    private struct Request: Encodable {
        var index_key = Hex.encode(CellWorkbench.indexKey)
        var dataset = Hex.encode(CellWorkbench.dataset)
        var column: UInt32
        var number: UInt32
        var bits: Int
        var values: [[CellReader.Part]]

        init(_ index: BlindIndex, _ values: [Value]) throws {
            (column, number, bits) = (index.column, index.number, index.bits)
            self.values = try zip(index.normalisers, values).map { normaliser, value in
                var plaintext = [UInt8](repeating: 0, count: try CellPlaintext.length(of: value, .none))
                var span = plaintext.mutableSpan
                CellPlaintext.write(value, .none, to: &span)
                return [.text(normaliser.spelling), .tag(plaintext[0]), .text(Hex.encode(Array(plaintext[1...])))]
            }
        }
    }

    private static func spelled(_ token: Value?) -> String {
        switch token {
        case .integer(let number): "\(number)"
        case .blob(let bytes): Hex.encode(bytes)
        default: "none"
        }
    }

    private func compare(_ cases: [(BlindIndex, [Value])]) throws {
        let keys = try CellWorkbench.keys()
        let due = try cases.map { index, values in
            Self.spelled(try BlindIndexHasher(index, keys).token(values))
        }
        #expect(due.contains { $0 != "none" })
        let answers = try CellReader.answers(cases.map { try Request($0.0, $0.1) })
        #expect(answers == due)
    }

    @Test(
        "It computes the same tokens as the library, for every type and normaliser",
        .enabled(if: PythonReader.isPresent, PythonReader.missing),
        arguments: NormaliserTests.all + [.bucket(9_007_199_254_740_992), .prefix(1)])
    func values(_ normaliser: Normaliser) throws {
        let texts =
            FoldedTextTests.examples.map(\.text) + ["", " ", " Ann@Example.ORG\r\n", "+49 (0)30 123", "\u{A0}x\u{B}"]
        let numbers: [Double] = [0, -0.0, 9.99, -10.5, 1e300, .infinity, -.infinity, .nan]
        let values =
            CellTests.values + texts.map(Value.text) + numbers.map(Value.real)
            + [.integer(-11), .integer(-1)]
        var cases: [(BlindIndex, [Value])] = []
        for value in values where normaliser.accepts(value.tag) || value == .null {
            // Long values take long to transfer, and are hashed like the others.
            guard try CellPlaintext.length(of: value, .none) < 1000 else { continue }
            for bits in [1, 33, 63, 128, 256] {
                let index = try BlindIndex(column: 7, number: 3, [normaliser], bits: bits, keyVersion: 2)
                cases.append((index, [value]))
            }
        }
        try compare(cases)
    }

    @Test(
        "It computes tokens of several values",
        .enabled(if: PythonReader.isPresent, PythonReader.missing))
    func several() throws {
        let index = try BlindIndex(column: .max, number: .max, [.exact, .casefold, .digits], bits: 40, keyVersion: 2)
        let lists: [[Value]] = [
            [.integer(1), .text("É"), .text("1-2")], [.null, .text("É"), .text("1-2")],
            [.blob([]), .text(""), .text("7")], [.integer(1), .text("É"), .text("-")],
        ]
        try compare(lists.map { (index, $0) })
    }
}
