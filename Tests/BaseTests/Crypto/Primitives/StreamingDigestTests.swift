import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct StreamingDigestTests {
    private static func digest(_ pieces: [[UInt8]]) throws -> String {
        let digest = try StreamingDigest(.sha256)
        for piece in pieces { try digest.update(piece.span.bytes) }
        return Hex.encode(try digest.finish())
    }

    @Test("the digests of FIPS 180-4's examples, whatever pieces the bytes come in") func knownAnswers() throws {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        #expect(try Self.digest([]) == empty)
        #expect(try Self.digest([[], []]) == empty)
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(try Self.digest([Array("abc".utf8)]) == abc)
        #expect(try Self.digest([Array("a".utf8), [], Array("bc".utf8)]) == abc)
        let thousand = [UInt8](repeating: UInt8(ascii: "a"), count: 1000)
        #expect(
            try Self.digest(Array(repeating: thousand, count: 1000))
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("other functions have their own lengths")
    func functions() throws {
        for function in [HashFunction.sha1, .sha256, .sha512] {
            let bytes = Array("a message".utf8)
            let digest = try StreamingDigest(function)
            try digest.update(bytes.span.bytes)
            let found = try digest.finish()
            #expect(try found == function.digest(bytes.span))
        }
    }
}
