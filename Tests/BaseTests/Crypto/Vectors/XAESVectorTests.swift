import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct XAESVectorTests {
    private static let file = "vectors/xaes/xaes_256_gcm.json"

    struct Vectors: Decodable {
        let tests: [Case]

        struct Case: Decodable {
            let K, N, Kx, pt, aad, ct: String
        }
    }

    @Test(
        "C2SP's vectors derive, seal and open as published",
        .enabled(if: SharedData.has(file), "\(SharedData.missing)"))
    func vectors() throws {
        let tests = try SharedData.json(Self.file, as: Vectors.self).tests
        for test in tests {
            var cipher = try XAES256GCM(key: Bytes.hex(test.K).span)
            let (nonce, data) = (Bytes.hex(test.N), Bytes.hex(test.aad))
            #expect(Hex.encode(Secrets.bytes(of: try cipher.derivedKey(nonce.span))) == test.Kx)
            let sealed = try cipher.seal(Bytes.hex(test.pt).span, nonce: nonce.span, associatedData: data.span)
            #expect(Hex.encode(sealed) == test.ct)
            let opened = try cipher.open(
                sealed.span, nonce: nonce.span, associatedData: data.span)
            #expect(Secrets.bytes(ofOptional: opened) == Bytes.hex(test.pt))
        }
        #expect(tests.count == 2)
    }
}
