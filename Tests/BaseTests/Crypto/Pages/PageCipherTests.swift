import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("AES-256-CBC over pages")
struct PageCipherTests {
    // NIST SP 800-38A, F.2.5 and F.2.6.
    private static let key = Bytes.hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    private static let vector = Bytes.hex("000102030405060708090a0b0c0d0e0f")
    private static let plaintext = Bytes.hex(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
            + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")
    private static let ciphertext = Bytes.hex(
        "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
            + "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b")

    private static func apply(
        _ cipher: inout PageCipher, encrypting: Bool, key: [UInt8] = key, vector: [UInt8] = vector, _ input: [UInt8]
    ) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: input.count)
        let done = cipher.apply(
            encrypting: encrypting, key: key, vector: vector, input, count: Int32(input.count), into: &output)
        return done ? output : nil
    }

    @Test("NIST's example comes out in both directions, again and again")
    func knownAnswer() throws {
        var cipher = try PageCipher()
        for _ in 0..<3 {
            #expect(
                Self.apply(&cipher, encrypting: true, Self.plaintext) == Self.ciphertext)
            #expect(
                Self.apply(&cipher, encrypting: false, Self.ciphertext) == Self.plaintext)
        }
    }

    @Test("Keys that take turns do not mix, nor do keys that differ in one bit at an end") func changingKeys() throws {
        let keys = [0, 31].flatMap { index in
            [UInt8(1), 128].map { bit in
                var key = Self.key
                key[index] ^= bit
                return key
            }
        }
        var cipher = try PageCipher()
        for round in 0..<24 {
            let key = keys[round % keys.count]
            var fresh = try PageCipher()
            let sealed = try #require(Self.apply(&fresh, encrypting: true, key: key, Self.plaintext))
            #expect(sealed != Self.ciphertext)
            // Both directions first, then one alone, so that a schedule could be left over in the other.
            if round < 12 {
                #expect(
                    Self.apply(&cipher, encrypting: true, key: key, Self.plaintext) == sealed)
            }
            #expect(Self.apply(&cipher, encrypting: false, key: key, sealed) == Self.plaintext)
            #expect(
                Self.apply(&cipher, encrypting: true, Self.plaintext) == Self.ciphertext)
        }
    }

    @Test("Another vector changes the first block of the plaintext, and no other") func changingVectors() throws {
        var cipher = try PageCipher()
        let other = Bytes.hex("100102030405060708090a0b0c0d0e0f")
        let opened = try #require(Self.apply(&cipher, encrypting: false, vector: other, Self.ciphertext))
        #expect(opened[0] == Self.plaintext[0] ^ 0x10)
        #expect(opened[1...] == Self.plaintext[1...])
        #expect(Self.apply(&cipher, encrypting: false, Self.ciphertext) == Self.plaintext)
    }

    @Test("Partial blocks and empty input are refused", arguments: [0, 1, 15, 17, 63])
    func lengths(_ count: Int) throws {
        var cipher = try PageCipher()
        let input = Array(Self.plaintext[..<count])
        #expect(Self.apply(&cipher, encrypting: true, input) == nil)
        #expect(Self.apply(&cipher, encrypting: false, input) == nil)
        #expect(Self.apply(&cipher, encrypting: true, Self.plaintext) == Self.ciphertext)
    }
}
