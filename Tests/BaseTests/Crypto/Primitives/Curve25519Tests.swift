import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct Curve25519Tests {
    private static let agreementFile = "vectors/wycheproof/x25519_test.json"
    private static let signatureFile = "vectors/wycheproof/ed25519_test.json"
    private static let edgeFile = "vectors/cctv-ed25519/ed25519vectors.json"

    private static func secret(_ hex: String) throws -> SecretBytes {
        try Secrets.make(Bytes.hex(hex))
    }

    private static func shared(_ secret: String, _ publicKey: String) throws -> String? {
        let shared = try X25519.sharedSecret(
            Self.secret(secret), with: Bytes.hex(publicKey).span)
        return Secrets.bytes(ofOptional: shared).map { Hex.encode($0) }
    }

    // MARK: X25519

    @Test("RFC 7748, section 6.1: both sides come to one secret")
    func agreement() throws {
        let alice = "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"
        let alicePublic = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
        let bob = "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"
        let bobPublic = "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
        let both = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
        #expect(try Hex.encode(X25519.publicKey(of: Self.secret(alice))) == alicePublic)
        #expect(try Hex.encode(X25519.publicKey(of: Self.secret(bob))) == bobPublic)
        #expect(try Self.shared(alice, bobPublic) == both)
        #expect(try Self.shared(bob, alicePublic) == both)
    }

    @Test(
        "A point of low order yields no secret",
        arguments: [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ])
    func lowOrder(_ point: String) throws {
        let secret = "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"
        #expect(try Self.shared(secret, point) == nil)
    }

    struct Agreements: Decodable {
        let testGroups: [Group]

        struct Group: Decodable { let tests: [Case] }

        struct Case: Decodable {
            let tcId: Int
            let flags: [String]
            let `public`, `private`, shared: String
        }
    }

    @Test(
        "Wycheproof: 518 agreements come out, those that give zero are refused",
        .enabled(if: SharedData.has(agreementFile), "\(SharedData.missing)"))
    func wycheproofAgreement() throws {
        let groups = try SharedData.json(Self.agreementFile, as: Agreements.self).testGroups
        var ran = 0
        for test in groups.flatMap(\.tests) {
            let due = test.flags.contains("ZeroSharedSecret") ? nil : test.shared
            #expect(try Self.shared(test.private, test.public) == due, "case \(test.tcId)")
            ran += 1
        }
        #expect(ran == 518)
    }

    // MARK: Ed25519

    @Test(
        "RFC 8032, section 7.1: signatures come out, and verify",
        arguments: [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e3970"
                    + "1cf9b46bd25bf5f0595bbe24655141438e7a100b"
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613"
                    + "d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
            ),
        ])
    func signing(_ seed: String, _ key: String, _ message: String, _ signature: String) throws {
        let (key, message) = (Bytes.hex(key), Bytes.hex(message))
        let made = try Ed25519.sign(message.span, with: Self.secret(seed))
        #expect(Hex.encode(made) == signature)
        #expect(try Ed25519.publicKey(of: Self.secret(seed)) == key)
        #expect(try Ed25519.verify(made.span, of: message.span, under: key))
        #expect(try !Ed25519.verify(made.span, of: (message + [0]).span, under: key))
        for index in made.indices {
            var spoilt = made
            spoilt[index] ^= 1
            #expect(try !Ed25519.verify(spoilt.span, of: message.span, under: key))
        }
    }

    @Test("Keys and signatures of other lengths verify nothing", arguments: [0, 31, 33, 63, 65])
    func lengths(_ count: Int) throws {
        let seed = try SecretBytes(random: 32)
        let (key, message) = (try Ed25519.publicKey(of: seed), Array("text".utf8))
        let signature = try Ed25519.sign(message.span, with: seed)
        let other = [UInt8](repeating: 1, count: count)
        #expect(try !Ed25519.verify(signature.span, of: message.span, under: other))
        #expect(try !Ed25519.verify(other.span, of: message.span, under: key))
    }

    struct Signatures: Decodable {
        let testGroups: [Group]

        struct Group: Decodable {
            let publicKey: Key
            let tests: [Case]
        }

        struct Key: Decodable { let pk: String }

        struct Case: Decodable {
            let tcId: Int
            let msg, sig, result: String
        }
    }

    @Test(
        "Wycheproof: 88 signatures verify, 63 spoilt ones do not",
        .enabled(if: SharedData.has(signatureFile), "\(SharedData.missing)"))
    func wycheproofSignatures() throws {
        var ran = (valid: 0, invalid: 0)
        for group in try SharedData.json(Self.signatureFile, as: Signatures.self).testGroups {
            for test in group.tests {
                let verifies = try Ed25519.verify(
                    Bytes.hex(test.sig).span, of: Bytes.hex(test.msg).span, under: Bytes.hex(group.publicKey.pk))
                #expect(verifies == (test.result == "valid"), "case \(test.tcId)")
                if verifies { ran.valid += 1 } else { ran.invalid += 1 }
            }
        }
        #expect(ran == (88, 63))
    }

    struct Edge: Decodable {
        let number: Int
        let key, sig, msg: String
        let flags: [String]?
    }

    @Test(
        "Edge cases: no key of low order, no signature in two spellings",
        .enabled(if: SharedData.has(edgeFile), "\(SharedData.missing)"))
    func edges() throws {
        let refused: Set = ["low_order_A", "low_order_residue", "non_canonical_A", "non_canonical_R"]
        var ran = (accepted: 0, refused: 0)
        for test in try SharedData.json(Self.edgeFile, as: [Edge].self) {
            let verifies = try Ed25519.verify(
                Bytes.hex(test.sig).span, of: Array(test.msg.utf8).span,
                under: Bytes.hex(test.key))
            #expect(verifies == refused.isDisjoint(with: test.flags ?? []), "case \(test.number)")
            if verifies { ran.accepted += 1 } else { ran.refused += 1 }
        }
        #expect(ran.accepted > 50 && ran.accepted + ran.refused == 914)
    }
}
