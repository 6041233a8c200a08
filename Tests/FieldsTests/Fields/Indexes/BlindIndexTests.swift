import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct BlindIndexTests {
    /// Tokens that Python's `hmac` and `hashlib` made by the essay in BlindIndex.swift: index key 2 is 20 … 3f, the
    /// dataset a0 … af.
    struct Example: Sendable, CustomTestStringConvertible {
        let column: UInt32
        let number: UInt32
        let normalisers: [Normaliser]
        let bits: Int
        let values: [Value]
        let token: Value

        init(
            _ column: UInt32, _ number: UInt32, _ normalisers: [Normaliser], _ bits: Int,
            _ values: [Value], _ token: Value
        ) {
            (self.column, self.number, self.normalisers) = (column, number, normalisers)
            (self.bits, self.values, self.token) = (bits, values, token)
        }

        var testDescription: String { "\(normalisers) of \(values.map(\.typeName)), \(bits) bits" }
    }

    static let examples = [
        Example(7, 1, [.casefold], 16, [.text("Straße")], .integer(12_126)),
        Example(7, 1, [.exact], 63, [.integer(-2)], .integer(3_815_221_932_768_933_130)),
        Example(7, 2, [.exact], 63, [.real(-0.0)], .integer(7_767_756_598_326_271_650)),
        Example(7, 2, [.exact], 1, [.integer(1)], .integer(0)),
        Example(
            8, 1, [.exact], 128, [.blob([UInt8](1...16))], .blob(Hex.decode("a29c6c1c31b36b70a6ac5fa981619a46") ?? [])),
        Example(
            8, 1, [.exact], 256, [.blob([])],
            .blob(
                Hex.decode("6cf065318df42cbd853c4c5bb5228e53fe3b4d802232f51094b1843a87cb7db0")
                    ?? [])),
        Example(8, 1, [.exact], 32, [.text("")], .integer(3_503_216_473)),
        Example(9, 1, [.lower], 32, [.text("ÉCOLE")], .integer(3_985_451_597)),
        Example(9, 1, [.digits], 32, [.text("1 555-1234")], .integer(479_590_201)),
        Example(9, 1, [.email], 32, [.text(" Ann@Example.org\n")], .integer(3_390_354_558)),
        Example(9, 1, [.prefix(3)], 8, [.text("ßÉrie")], .integer(198)),
        Example(9, 1, [.bucket(10)], 24, [.integer(-21)], .integer(6_534_887)),
        Example(9, 1, [.bucket(10)], 24, [.real(-20.5)], .integer(2_849_475)),
        Example(9, 1, [.bucket(7)], 24, [.integer(20_000)], .integer(6_676_971)),
        Example(9, 1, [.bucket(86_400_000_000)], 24, [.integer(-1)], .integer(12_810_313)),
        Example(9, 2, [.exact, .casefold], 40, [.integer(1), .text("DUNE")], .integer(794_593_096_156)),
        Example(
            9, 2, [.exact, .exact], 40, [.text("ab"), .text("c")], .integer(224_530_551_944)),
        Example(
            9, 2, [.exact, .exact], 40, [.text("a"), .text("bc")], .integer(17_014_469_227)),
        Example(.max, .max, [.exact], 63, [.text("a")], .integer(1_484_425_444_250_501_466)),
    ]

    private func hasher(
        column: UInt32 = 7, number: UInt32 = 1, _ normalisers: [Normaliser] = [.exact],
        bits: Int = 63, keyVersion: UInt32 = 2, keys: FieldKeys? = nil
    ) throws -> BlindIndexHasher {
        try BlindIndexHasher(
            BlindIndex(column: column, number: number, normalisers, bits: bits, keyVersion: keyVersion),
            keys ?? CellWorkbench.keys())
    }

    @Test("tokens are those of another implementation", arguments: examples)
    func knownAnswer(_ example: Example) throws {
        let hasher = try hasher(
            column: example.column, number: example.number, example.normalisers,
            bits: example.bits)
        #expect(try hasher.token(example.values) == example.token)
        // The token in between does not mix with either.
        _ = try hasher.token(example.values.map { _ in .null })
        #expect(try hasher.token(example.values) == example.token)
    }

    @Test("the key is derived as the essay says")
    func info() throws {
        let index = try BlindIndex(column: 9, number: 2, [.exact, .casefold], bits: 40, keyVersion: 2)
        #expect(
            Hex.encode(index.info) == "696e6465780100000009000000020028020000000565786163740000000863617365666f6c64")
        #expect(
            try Hex.encode(index.message([.integer(1), .text("DUNE")]) ?? [])
                == "01000000080000000000000001030000000464756e65")
    }

    @Test("a token has the requested length, and is never negative")
    func widths() throws {
        for bits in 1...63 {
            let hasher = try hasher(bits: bits)
            var seen: Int64 = 0
            for number: Int64 in 0..<200 {
                guard case .integer(let token) = try hasher.token([.integer(number)]) else {
                    Issue.record("\(bits) bits are no INTEGER")
                    return
                }
                #expect(token >= 0 && token >> Int64(bits) == 0)
                seen |= token
            }
            // Each bit is set in one of them, except with a chance of one in 2^200.
            #expect(seen == Int64.max >> Int64(63 - bits))
        }
        for bits in [-1, 0, 64, 65, 127, 129, 255, 257, .max, .min] {
            Refusal.expect(.misuse) { _ = try hasher(bits: bits) }
        }
        #expect(try hasher(bits: 63).index.hasIntegers)
        #expect(try !hasher(bits: 128).index.hasIntegers)
    }

    @Test("changing anything that an index is made of changes its tokens")
    func separation() throws {
        let other = try CellWorkbench.keys(dataset: [UInt8](repeating: 1, count: 16))
        let hashers = [
            try hasher(), try hasher(column: 8), try hasher(number: 2), try hasher([.lower]), try hasher([.prefix(1)]),
            try hasher(bits: 62), try hasher(keyVersion: 1), try hasher(keyVersion: 4), try hasher(keys: other),
        ]
        let tokens = try hashers.map { try $0.token([.text("a")]) }
        #expect(Set(tokens).count == hashers.count)
        #expect(!tokens.contains(nil))
    }

    @Test("values of two types have different tokens")
    func types() throws {
        let hasher = try hasher()
        let values: [Value] = [.text("a"), .blob([0x61]), .integer(0), .real(0), .blob([0]), .text(""), .blob([])]
        #expect(try Set(values.map { try hasher.token([$0]) }).count == values.count)
    }

    @Test("lists whose values join into the same bytes have different tokens")
    func lists() throws {
        let pair = try hasher([.exact, .exact])
        let lists: [[Value]] = [
            [.text("ab"), .text("c")], [.text("a"), .text("bc")], [.text("abc"), .text("")], [.text(""), .text("abc")],
            [.text("c"), .text("ab")], [.blob([0x61, 0x62]), .text("c")],
            // The second value's head inside the first.
            [.text("ab\u{3}\0\0\0\u{1}c"), .text("")],
        ]
        #expect(try Set(lists.map { try pair.token($0) }).count == lists.count)
        let one = try BlindIndex(column: 7, number: 1, [.exact], bits: 63, keyVersion: 2)
        let two = try BlindIndex(column: 7, number: 1, [.exact, .exact], bits: 63, keyVersion: 2)
        #expect(one.info != two.info)
    }

    @Test("if one value has no entry, the row has none")
    func noEntry() throws {
        let pair = try hasher([.casefold, .digits])
        #expect(try pair.token([.text("a"), .text("1")]) != nil)
        #expect(try pair.token([.null, .text("1")]) == nil)
        #expect(try pair.token([.text("a"), .null]) == nil)
        #expect(try pair.token([.text("a"), .text("x")]) == nil)
        #expect(try hasher().token([.real(.nan)]) == nil)
    }

    @Test("found rows are compared by what was hashed")
    func messages() throws {
        let index = try BlindIndex(column: 7, number: 1, [.casefold], bits: 1, keyVersion: 2)
        #expect(try index.message([.text("Straße")]) == index.message([.text("STRASSE")]))
        #expect(try index.message([.text("Straße")]) != index.message([.text("Strase")]))
        #expect(try index.message([.null]) == nil)
    }

    @Test("a wrong number of values is refused, as are impossible indexes")
    func misuse() throws {
        let pair = try hasher([.exact, .exact])
        for values: [Value] in [[], [.integer(1)], [.integer(1), .integer(1), .integer(1)]] {
            Refusal.expect(.misuse) { _ = try pair.token(values) }
        }
        Refusal.expect(.misuse) { _ = try hasher([.casefold]).token([.integer(1)]) }
        Refusal.expect(.misuse) { _ = try hasher(column: 0) }
        Refusal.expect(.misuse) { _ = try hasher(number: 0) }
        Refusal.expect(.misuse) { _ = try hasher(keyVersion: 0) }
        Refusal.expect(.misuse) { _ = try hasher([]) }
        Refusal.expect(.misuse) { _ = try hasher(Array(repeating: .exact, count: 17)) }
        Refusal.expect(.misuse) { _ = try hasher([.prefix(0)]) }
        _ = try hasher(Array(repeating: .exact, count: 16))
    }

    @Test("the error names a missing or destroyed key; retired and compromised ones work") func keys() throws {
        for version: UInt32 in [3, 5, .max] {
            Refusal.expect(.keyUnavailable) { _ = try hasher(keyVersion: version) }
        }
        #expect(try hasher(keyVersion: 1).token([.integer(-2)]) == .integer(1_046_521_573_754_820_195))
        #expect(try hasher(keyVersion: 4).token([.integer(-2)]) == .integer(8_299_280_133_588_510_040))
    }

    @Test("equal values are found, and others about as often as the bits predict") func coincidences() throws {
        let hasher = try hasher(bits: 6)
        var counts = [Int](repeating: 0, count: 64)
        for number in 0..<6400 {
            guard case .integer(let token)? = try hasher.token([.integer(Int64(number))]) else {
                Issue.record("a number has no token")
                return
            }
            counts[Int(token)] += 1
        }
        // Each of the 64 tokens is drawn about 100 times; the keys are fixed, so the counts never vary.
        #expect(counts.allSatisfy { (60...140).contains($0) })
    }
}
