import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The example of the article DatabasePages, made by a Python program and compared with the engine.
struct PageExampleTests {
    private static let content: [UInt8] =
        Bytes.hex(
            "53514c69746520666f726d6174203300" + "1000010150402020000000010000000100000000000000000000000000000004"
                + "0000000000000000000000010000002a00000000000000000000000000000000"
                + "00000000000000000000000000000001002e7a71" + "0d000000000fb000")
        + [UInt8](repeating: 0, count: 4016 - 108)
    private static let vector = [UInt8](0x40..<0x50)

    @Test("The key, the page and its MAC match the article, and the engine opens the file") func knownAnswer() throws {
        let version = VersionKey(
            version: 1, try SecretBytes(copying: [UInt8](0..<32).span), database: [UInt8](0xA0..<0xB0))
        let own = try version.own(of: [UInt8](0xB0..<0xC0), salt: [UInt8](repeating: 0, count: 16))
        #expect(
            Secrets.bytes(of: own.secret)
                == Bytes.hex("ddc6f8a03a2d4246b5ea033835af384cec98f28d01f89320c0294606c4980f06"))
        let key = try version.shared()
        let raw = Secrets.bytes(of: key.secret)
        #expect(
            raw
                == Bytes.hex("8f767408c8246467c40d9a6a9c4b805d05e5fee5aee4560d2f22e0f8cfa36d54"))
        #expect(key.salt == Bytes.hex("d2cc65042b61733f50f11f22d8e62405"))
        let masked = key.salt.map { $0 ^ 0x3A }
        let macKey = try PBKDF2.derive(
            .sha512, raw.span, salt: masked.span, rounds: 2, count: 32)
        #expect(
            Secrets.bytes(of: macKey) == Bytes.hex("3006aaa341bbb7f89dfbc937b922752f576889a46a5d23f6534fa238af88797b"))
        let text = AES256(key: raw).encryptCBC(Array(Self.content[16...]), initialisationVector: Self.vector)
        let hmac = try HMAC(.sha512, key: macKey.bytes)
        for part in [text, Self.vector, [1, 0, 0, 0]] { try hmac.update(part.span) }
        let page = key.salt + text + Self.vector + (try hmac.finish())
        #expect(page.count == 4096)
        #expect(Array(page[16..<48]) == Bytes.hex("bc2567edad7016788d582fa7e0e357b104b92b08147bd90ef4a2dca79eaaeacd"))
        #expect(
            Array(page[4032...])
                == Bytes.hex(
                    "6c09d5573d4515cdb8fd8fe1e6f112a7a0b875cef8fcaf1076668bbdf209ab99"
                        + "6b50bf7e1039dfcab8735505f1b8e0527b15ceb2a23acc3fa7748a30d96ad4fc"))
        #expect(
            try HashFunction.sha256.digest(page.span)
                == Bytes.hex("974241131c81e2f672235b3ef59a2a99a2cf22b4f5128e524932ced7c095f53f"))
        let folder = try TemporaryFolder()
        let path = try folder.write("example.db", page)
        let connection = try Connection.open(path, key: key)
        #expect(try connection.value("PRAGMA user_version", as: Int.self) == 42)
        #expect(try connection.value("PRAGMA integrity_check", as: String.self) == "ok")
    }
}
