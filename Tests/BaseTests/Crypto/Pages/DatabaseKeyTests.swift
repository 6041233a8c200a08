import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct DatabaseKeyTests {
    private static func fixed() throws -> DatabaseKey {
        try DatabaseKey(
            secret: Secrets.make(Array(0xE0...0xFF)), salt: Array(0x00..<0x10))
    }

    @Test("a keyspec is x'…' with 64 digits, or 96 with the salt")
    func keyspec() throws {
        let digits = "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
        let key = try Self.fixed()
        let short = Secrets.bytes(of: try key.keyspec(withSalt: false))
        #expect(short.count == 67)
        #expect(String(decoding: short, as: UTF8.self) == "x'\(digits)'")
        let long = Secrets.bytes(of: try key.keyspec(withSalt: true))
        #expect(long.count == 99)
        #expect(
            String(decoding: long, as: UTF8.self)
                == "x'\(digits)000102030405060708090a0b0c0d0e0f'")
    }

    @Test("key and salt derive from data key and database as HKDF says")
    func derivation() throws {
        // Computed with Python: HKDF-SHA256 over 32 bytes 0x11, salt 16 bytes 0x22, 48 bytes.
        let key = try DatabaseKey(
            dataKey: Secrets.make([UInt8](repeating: 0x11, count: 32)), database: [UInt8](repeating: 0x22, count: 16))
        #expect(
            Hex.encode(Secrets.bytes(of: key.secret))
                == "411cac1597e781031d51528244616499c75763a0f9dba5be6eea533f55dff7a8")
        #expect(Hex.encode(key.salt) == "71ed32336a668719ef47c685ccaea377")
    }

    @Test("another database has another key and another salt")
    func otherDatabase() throws {
        let dataKey = try Secrets.make([UInt8](repeating: 0x11, count: 32))
        let one = try DatabaseKey(dataKey: dataKey, database: [UInt8](repeating: 1, count: 16))
        let other = try DatabaseKey(dataKey: dataKey, database: [UInt8](repeating: 2, count: 16))
        #expect(Secrets.bytes(of: one.secret) != Secrets.bytes(of: other.secret))
        #expect(one.salt != other.salt)
    }

    @Test(
        "other lengths of key or salt are misuse",
        arguments: [
            (0, 16), (31, 16), (33, 16), (32, 0), (32, 15), (32, 17), (48, 0),
        ])
    func lengths(_ key: Int, _ salt: Int) {
        Refusal.expect(.misuse) {
            _ = try DatabaseKey(secret: SecretBytes(zeroed: key), salt: [UInt8](repeating: 0, count: salt))
        }
    }

    @Test("a clone is the same key")
    func clone() throws {
        let key = try Self.fixed()
        let copy = try key.clone()
        #expect(Secrets.bytes(of: copy.secret) == Secrets.bytes(of: key.secret))
        #expect(copy.salt == key.salt)
    }

    @Test("ephemeral keys differ in key and salt")
    func ephemeral() throws {
        let one = try DatabaseKey.ephemeral()
        let other = try DatabaseKey.ephemeral()
        #expect(Secrets.bytes(of: one.secret) != Secrets.bytes(of: other.secret))
        #expect(one.salt != other.salt)
        #expect(one.secret.count == 32)
    }
}
