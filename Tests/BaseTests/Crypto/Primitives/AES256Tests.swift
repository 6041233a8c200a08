import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The tests' own cipher, checked before anything is made with it.
struct AES256Tests {
    @Test("the example of FIPS 197, C.3, encrypts as printed there")
    func knownAnswer() {
        let cipher = AES256(key: (0..<32).map { UInt8($0) })
        let block = Bytes.hex("00112233445566778899aabbccddeeff")
        #expect(Hex.encode(cipher.encrypt(block)) == "8ea2b7ca516745bfeafc49904b496089")
    }

    @Test("chained blocks are those that OpenSSL decrypts")
    func chained() throws {
        let key = (0..<32).map { UInt8($0 * 7) }
        let vector = (0..<16).map { UInt8($0 + 100) }
        let text = (0..<4016).map { UInt8(truncatingIfNeeded: $0 * $0) }
        let sealed = AES256(key: key).encryptCBC(text, initialisationVector: vector)
        let opened = try AES256CBC.decrypt(sealed.span, key: key.span, initialisationVector: vector.span)
        #expect(opened == text)
    }
}
