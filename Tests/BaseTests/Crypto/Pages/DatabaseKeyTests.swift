import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct DatabaseKeyTests {
    private static func fixed() throws -> DatabaseKey {
        try DatabaseKey(
            secret: Secrets.make(Array(0xE0...0xFF)), salt: Array(0x00..<0x10))
    }

    /// The database key of 32 bytes 0x11, of a keyring whose database id is 16 bytes of this value.
    private static func version(_ database: UInt8) throws -> VersionKey {
        VersionKey(
            version: 1, try Secrets.make([UInt8](repeating: 0x11, count: 32)),
            database: [UInt8](repeating: database, count: 16))
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
        let key = try Self.version(0x22).shared()
        #expect(
            Hex.encode(Secrets.bytes(of: key.secret))
                == "411cac1597e781031d51528244616499c75763a0f9dba5be6eea533f55dff7a8")
        #expect(Hex.encode(key.salt) == "71ed32336a668719ef47c685ccaea377")
    }

    @Test("a file's own key derives from the database key and the file's identity, and from nothing else")
    func ownDerivation() throws {
        // Computed with Python: HKDF-SHA256 over 32 bytes 0x11, no salt, info "file/1" and 16 bytes 0x33, 32 bytes.
        let (identity, salt) = ([UInt8](repeating: 0x33, count: 16), [UInt8](repeating: 0x44, count: 16))
        for database in [0x22, 0x23] as [UInt8] {
            let key = try Self.version(database).own(of: identity, salt: salt)
            #expect(
                Hex.encode(Secrets.bytes(of: key.secret))
                    == "cfe76740e1f2310f5e11c123fe6f7bdee1bca4f0a96a9d10d06277da793311fb")
            #expect(key.salt == salt && key.file == identity)
        }
        let other = try Self.version(0x22).own(of: [UInt8](repeating: 0x34, count: 16), salt: salt)
        #expect(
            Hex.encode(Secrets.bytes(of: other.secret))
                != "cfe76740e1f2310f5e11c123fe6f7bdee1bca4f0a96a9d10d06277da793311fb")
    }

    @Test("a copy of a file has the same key and another salt")
    func copyOfFile() throws {
        let key = try Self.fixed()
        let copy = try key.forCopy()
        #expect(Secrets.bytes(of: copy.secret) == Secrets.bytes(of: key.secret))
        #expect(copy.salt != key.salt)
    }

    @Test("another database has another key and another salt")
    func otherDatabase() throws {
        let one = try Self.version(1).shared()
        let other = try Self.version(2).shared()
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
