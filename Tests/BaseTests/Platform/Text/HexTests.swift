import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct HexTests {
    @Test("every nibble has its lower-case digit")
    func digits() {
        let digits = (UInt8(0)..<16).map { Hex.digit($0) }
        #expect(String(decoding: digits, as: UTF8.self) == "0123456789abcdef")
    }

    @Test("every byte is written with two digits that read back")
    func everyByte() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = Hex.encode(bytes)
        #expect(text.utf8.count == 512)
        #expect(text.hasPrefix("000102030405060708090a0b0c0d0e0f1011"))
        #expect(text.hasSuffix("f9fafbfcfdfeff"))
        #expect(Bytes.hex(text) == bytes)
        #expect(Hex.encode([]) == "")
    }
}
