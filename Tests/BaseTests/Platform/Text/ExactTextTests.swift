import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Exact texts")
struct ExactTextTests {
    private struct Place: Hashable {
        @Exact var table: String
        @Exact var column: String?
        @Exact var others: [String]
    }

    @Test(
        "Swift takes the names of a pair for equal, and their bytes differ", arguments: NamePair.all
    )
    func pairs(_ pair: NamePair) {
        #expect(pair.one == pair.other && !pair.one.utf8.elementsEqual(pair.other.utf8))
        #expect(ExactText(pair.one) != ExactText(pair.other))
        #expect(SQLName(pair.one) != SQLName(pair.other))
        #expect(Value.text(pair.one) != Value.text(pair.other))
        #expect(!pair.one.hasSameBytes(as: pair.other) && !pair.one[...].hasSameBytes(as: pair.other))
        #expect(!Optional(pair.one).hasSameBytes(as: pair.other))
        #expect(!pair.both.dropLast().containsBytes(of: pair.other) && pair.both.containsBytes(of: pair.other))
        #expect((ExactText(pair.one) < ExactText(pair.other)) != (ExactText(pair.other) < ExactText(pair.one)))
        let places = pair.both.flatMap { name in
            [
                Place(table: name, column: nil, others: []), Place(table: "", column: name, others: []),
                Place(table: "", column: nil, others: [name]),
            ]
        }
        #expect(Set(places).count == 6)
    }

    @Test("Every pair that the generator makes is one")
    func generator() {
        var dice = SplitMix64(state: 7)
        for _ in 0..<2000 {
            let pair = NamePair.random(using: &dice)
            #expect(pair.one == pair.other && ExactText(pair.one) != ExactText(pair.other), "\(pair)")
        }
        let many = NamePair.many(1000)
        #expect(Set(many).count == 1 && Set(many.map { ExactText($0) }).count == 1000)
    }

    @Test("Equal texts are equal wherever they are stored", arguments: [0, 1, 15, 16, 17, 100])
    func equal(_ length: Int) {
        let text = String(repeating: "x", count: length)
        let copy = String(decoding: Array(text.utf8), as: UTF8.self)
        let piece = "a\(text)b".dropFirst().dropLast()
        #expect(ExactText(text) == ExactText(copy) && ExactText(text) == ExactText(piece))
        #expect(Set([ExactText(text), ExactText(copy), ExactText(piece)]).count == 1)
        #expect(text.hasSameBytes(as: piece) && !text.hasSameBytes(as: text + "x"))
    }

    @Test("A mark after a separator hides nothing")
    func pieces() {
        let text = "a,\u{301}b,c"
        #expect(text.split(separator: ",").count == 2)
        #expect(text.pieces(between: ",") == ["a", "\u{301}b", "c"])
        #expect(text.pieces(between: ",", atMost: 1) == ["a", "\u{301}b,c"])
        #expect("".pieces(between: ",") == [""] && ",".pieces(between: ",") == ["", ""])
        let name = "lockstep_\u{301}x"
        #expect(!name.hasPrefix("lockstep_") && name.begins(with: "lockstep_"))
        #expect(name.rest(after: "lockstep_") == "\u{301}x" && name.rest(after: "x") == nil)
        #expect("\u{600}-wal".ends(with: "-wal") && "\u{600}-wal".rest(before: "-wal") == "\u{600}")
        #expect("wal".rest(before: "-wal") == nil && !"".ends(with: "x"))
    }
}
