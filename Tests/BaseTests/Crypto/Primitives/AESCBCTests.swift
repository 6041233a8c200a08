import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct AESCBCTests {
    @Test("the block of NIST SP 800-38A, F.2.6, decrypts as printed there")
    func knownAnswer() throws {
        let key = Bytes.hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
        let vector = Bytes.hex("000102030405060708090a0b0c0d0e0f")
        let block = Bytes.hex("f58c4c04d6e5f1ba779eabfb5f7bfbd6")
        let plain = try AES256CBC.decrypt(block.span, key: key.span, initialisationVector: vector.span)
        #expect(Hex.encode(plain) == "6bc1bee22e409f96e93d7e117393172a")
    }

    @Test("inputs of other lengths are misuse")
    func lengths() {
        let (short, block, key) = (
            [UInt8](repeating: 0, count: 15),
            [UInt8](repeating: 0, count: 16), [UInt8](repeating: 0, count: 32)
        )
        Refusal.expect(.misuse) {
            _ = try AES256CBC.decrypt(
                short.span, key: key.span, initialisationVector: block.span)
        }
        Refusal.expect(.misuse) {
            _ = try AES256CBC.decrypt(
                block.span, key: block.span, initialisationVector: block.span)
        }
        Refusal.expect(.misuse) {
            _ = try AES256CBC.decrypt(
                block.span, key: key.span, initialisationVector: short.span)
        }
    }
}
