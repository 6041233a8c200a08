import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct Bech32Tests {
    private static func decode(_ text: String, _ prefix: String) throws -> [UInt8]? {
        Secrets.bytes(ofOptional: try Bech32.decode(Array(text.utf8).span, prefix: prefix))
    }

    private static func encode(_ bytes: [UInt8], _ prefix: String) throws -> String {
        let text = try Bech32.encode(bytes.span, prefix: prefix)
        return String(decoding: Secrets.bytes(of: text), as: UTF8.self)
    }

    @Test("BIP 173's examples are read, in either case")
    func examples() throws {
        #expect(try Self.decode("A12UEL5L", "a") == [])
        #expect(try Self.decode("a12uel5l", "a") == [])
        let text = "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw"
        let bytes = Bytes.hex("00443214c74254b635cf84653a56d7c675be77df")
        #expect(try Self.decode(text, "abcdef") == bytes)
        #expect(try Self.decode(text.uppercased(), "abcdef") == bytes)
        #expect(try Self.encode(bytes, "abcdef") == text)
    }

    @Test(
        "Texts that BIP 173 calls invalid, and spellings that are not canonical, are refused",
        arguments: [
            "", "1", "a1", "a12uel5", "a12uel5lq", "A12uel5L", "b12uel5l", "a22uel5l", "a12uel5b",
            "a12uel5\u{7F}", "x1b4n0q5v", "li1dgmt3", "10a06t8", "1qzzfhee",
            // Of "a1qq…": left-over bits that are not zero, and a group too many.
            "a1lqfn3a", "a1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq",
        ])
    func refused(_ text: String) throws {
        #expect(try Self.decode(text, "a") == nil)
    }

    @Test("Any number of bytes is encoded and decoded again", arguments: 0..<70)
    func lengths(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }
        let text = try Self.encode(bytes, "age-secret-key-")
        #expect(try Self.decode(text, "age-secret-key-") == bytes)
        #expect(try Self.decode(text, "age") == nil)
    }

    @Test("No character can be replaced by another")
    func everyCharacter() throws {
        let text = Array(try Self.encode([UInt8](0..<32), "age").utf8)
        for index in text.indices {
            for other in Array("qpz1rL -".utf8) where other != text[index] {
                var spoilt = text
                spoilt[index] = other
                let decoded = try Bech32.decode(spoilt.span, prefix: "age")
                #expect(Secrets.bytes(ofOptional: decoded) == nil, "\(index) as \(other)")
            }
        }
    }
}
