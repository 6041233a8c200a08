import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct FoldedTextTests {
    /// Answers of Python 3.12, whose `unicodedata` is of Unicode 15.0: `normalize("NFC", normalize("NFD",
    /// text).casefold())`, and the text itself where one of its characters is of the category Cn. In UTF-8, as hex.
    static let examples: [(what: String, text: String, folded: String)] = [
        ("plain", "Dune", "64756e65"), ("composed and in two", "\u{C9}e\u{301}E\u{301}", "c3a9c3a9c3a9"),
        ("a singleton", "\u{212B}\u{2126}\u{212A}", "c3a5cf896b"),
        ("jamo", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}", "ed959ceab880"),
        ("an open syllable and its tail", "\u{D558}\u{11AB}", "ed959c"),
        ("a closed syllable takes no other tail", "\u{D55C}\u{11AB}", "ed959ce186ab"),
        (
            "jamo that are not modern", "\u{1113}\u{1161}\u{1112}\u{1176}\u{1112}\u{1161}\u{11C3}",
            "e18493e185a1e18492e185b6ed9598e18783"
        ),
        ("T base is not a tail", "\u{AC00}\u{11A7}", "eab080e186a7"),
        ("marks in the wrong order", "q\u{307}\u{323}", "71cca3cc87"),
        ("marks that compose across others", "a\u{302}\u{323}", "e1baad"),
        (
            "marks of one class keep their order", "a\u{308}\u{301}\u{301}\u{308}",
            "c3a4cc81cc81cc88"
        ),
        ("a blocked mark", "a\u{5AE}\u{300}\u{308}\u{301}", "c3a0d6aecc88cc81"),
        ("marks alone", "\u{301}\u{323}", "cca3cc81"),
        ("a mark before a starter that composes backwards", "\u{CC6}\u{CC2}\u{CD5}", "e0b38b"),
        ("a starter between blocks", "\u{B47}\u{300}\u{B3E}", "e0ad87cc80e0acbe"),
        ("composition exclusions", "\u{958}\u{FB1D}\u{2ADC}\u{F43}", "e0a495e0a4bcd799d6b4e2ab9dccb8e0bd82e0beb7"),
        (
            "decompositions that never begin a character", "\u{344}\u{340}\u{F73}",
            "e0bdb1e0bdb2cc88cc81cc80"
        ),
        ("musical symbols", "\u{1D15F}\u{1D1BC}", "f09d8598f09d85a5f09d86baf09d85a5"),
        ("CJK compatibility", "\u{F900}\u{2F800}\u{FA0E}", "e8b188e4b8bdefa88e"),
        ("final sigma", "\u{3A3}\u{391}\u{3A3} \u{3C2}", "cf83ceb1cf8320cf83"),
        ("sharp s", "Stra\u{DF}e STRASSE \u{1E9E}", "737472617373652073747261737365207373"),
        ("dotted and dotless i", "\u{130}I\u{307}I\u{131}", "69cc8769cc8769c4b1"),
        ("Cherokee", "\u{AB70}\u{13A0}\u{13F8}\u{13F0}", "e18ea0e18ea0e18fb0e18fb0"),
        ("ligatures", "\u{FB03}\u{FB13}\u{587}", "666669d5b4d5b6d5a5d682"),
        (
            "iota below", "\u{1FBC}\u{1FB3}\u{1F88}\u{391}\u{345}",
            "ceb1ceb9ceb1ceb9e1bc80ceb9ceb1ceb9"
        ),
        ("iota below before another mark", "\u{3B1}\u{345}\u{301}", "ceacceb9"),
        ("several of three", "\u{390}\u{3B0}\u{1F56}\u{FB04}", "ce90ceb0e1bd9666666c"),
        ("what folds and composes again", "J\u{30C}\u{1F0}\u{149}", "c7b0c7b0cabc6e"),
        ("long s", "\u{17F}\u{1E9B}\u{1E9B}\u{323}\u{1E9E}", "73e1b9a1e1b9a97373"),
        ("Deseret", "\u{10400}\u{10428}", "f09090a8f09090a8"),
        ("Georgian", "\u{1C90}\u{10D0}\u{10A0}", "e18390e18390e2b480"),
        ("Adlam and Warang Citi", "\u{1E900}\u{118A0}", "f09ea4a2f091a380"),
        ("not assigned", "\u{C0}A\u{378}", "c38041cdb8"),
        ("assigned in Unicode 16.0, where it has a small letter", "A\u{A7DC}", "41ea9f9c"),
        ("not a character", "A\u{FFFF}\u{C9}", "41efbfbfc389"),
        ("for private use", "A\u{E000}E\u{301}", "61ee8080c3a9"),
        ("zero", "A\u{0}B", "610062"),
        ("emoji", "\u{1F3AC}A\u{200D}\u{FE0F}", "f09f8eac61e2808defb88f"),
    ]

    private func folded(_ text: String) throws -> [UInt8] {
        try #require(try Normaliser.casefold.normalised(.text(text)))
    }

    @Test("texts fold as Unicode 15.0 specifies", arguments: examples)
    func knownAnswers(_ example: (what: String, text: String, folded: String)) throws {
        #expect(try Hex.encode(folded(example.text)) == example.folded)
    }

    @Test("folded text folds to itself", arguments: examples)
    func twice(_ example: (what: String, text: String, folded: String)) throws {
        let folded = try #require(Hex.decode(example.folded))
        #expect(try self.folded(String(decoding: folded, as: UTF8.self)) == folded)
    }

    private static func digest(_ lines: [UInt8]) throws -> String {
        Hex.encode(try HashFunction.sha256.digest(lines.span))
    }

    @Test("each single character folds as in Python, as one digest over all of them shows") func everyScalar() throws {
        var lines: [UInt8] = []
        // Beyond are Han characters, which do not change, and their compatibility forms.
        let codes = Array(UInt32(0)..<0x20000) + Array(0x2F800..<0x2FA20)
        for scalar in codes.compactMap(Unicode.Scalar.init) {
            lines += try folded(String(scalar)) + [0x0A]
        }
        #expect(try Self.digest(lines) == "9790425958771e985345728d3e3d49df7cb690c04ca75905e7fc40226f0fb512")
    }

    /// Ranges with letters that combine, decompose, fold or are composed.
    private static let ranges: [ClosedRange<UInt64>] = [
        0x41...0x7A, 0xC0...0x24F, 0x300...0x36F, 0x370...0x3FF, 0x591...0x5F4, 0x610...0x660,
        0x900...0xDFF, 0xF40...0xFBC, 0x1100...0x11FF, 0x13A0...0x13FD, 0x1AB0...0x1AC0,
        0x1DC0...0x1EFF, 0x1F00...0x1FFF, 0x2126...0x212B, 0x3040...0x30FF, 0xAB70...0xABBF,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFB00...0xFB4F, 0x10400...0x10450, 0x11080...0x110C2,
        0x11131...0x11134, 0x1D15E...0x1D1C0, 0x1E900...0x1E94A, 0x2F800...0x2FA1D,
    ]

    @Test("20,000 texts of letters and marks in any order fold as in Python")
    func mixed() throws {
        var state: UInt64 = 1
        func draw(_ count: UInt64) -> UInt64 {
            // Knuth's MMIX generator, one line in any language.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % count
        }
        var lines: [UInt8] = []
        for _ in 0..<20_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<1 + draw(10) {
                let range =
                    draw(2) == 1
                    ? Self.ranges[Int(draw(UInt64(Self.ranges.count)))] : 0x300...0x36F
                let scalar = range.lowerBound + draw(UInt64(range.count))
                text.append(try #require(Unicode.Scalar(UInt32(scalar))))
            }
            lines += try folded(String(text)) + [0x0A]
        }
        #expect(try Self.digest(lines) == "4f484b244700799d3c97644dadf4267393aecf132045955250cbfb29b2f890b5")
    }

    @Test("texts that are equivalent in Unicode fold to the same text")
    func equivalent() throws {
        for text in ["\u{1EA0}\u{212B}", "\u{1F84}\u{386}", "\u{AC01}\u{D7A3}", "\u{FB2C}", "\u{1D5}\u{FB03}"] {
            let apart = FoldedText.decomposed(
                text.unicodeScalars.map(\.value), UnicodeData.shared)
            var view = String.UnicodeScalarView()
            view.append(contentsOf: apart.compactMap(Unicode.Scalar.init))
            #expect(!String(view).utf8.elementsEqual(text.utf8))
            #expect(try folded(String(view)) == folded(text))
        }
    }

    @Test(
        "a hundred thousand marks on one letter are sorted without a hundred thousand rounds"
    )
    func pile() {
        let marks = String(repeating: "\u{301}\u{323}", count: 50_000)
        let folded = FoldedText.scalars("a" + marks)
        // ạ takes one of the lower marks, which then come first.
        #expect(folded.count == 100_000)
        #expect(folded.first == 0x1EA1)
        #expect(folded[1..<50_000].allSatisfy { $0 == 0x323 })
        #expect(folded[50_000...].allSatisfy { $0 == 0x301 })
    }

    @Test(
        "the tables agree with the standard library on what Unicode 15.0 assigns, and how it combines"
    )
    func tables() {
        let data = UnicodeData.shared
        for scalar in (0...0x10FFFF).lazy.compactMap(Unicode.Scalar.init) {
            let properties = scalar.properties
            // No version of Unicode changes what an earlier one has assigned.
            let isAssigned =
                properties.generalCategory != .unassigned
                && properties.age.map { $0.major <= 15 && ($0.major < 15 || $0.minor == 0) } == true
            guard data.isAssigned(scalar.value) == isAssigned else {
                Issue.record("U+\(String(scalar.value, radix: 16))")
                return
            }
            let combining = isAssigned ? properties.canonicalCombiningClass.rawValue : 0
            guard data.combiningClass(scalar.value) == combining else {
                Issue.record("U+\(String(scalar.value, radix: 16))")
                return
            }
        }
    }
}
