import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct AESSIVTests {
    /// Cases 302, 305, 320 and 325 of Wycheproof's aes_siv_cmac_test.json: RFC 5297 itself has none for
    /// keys of 64 bytes. The last one has a synthetic vector of zeros and empty associated data.
    struct Example: Sendable, CustomTestStringConvertible {
        let name: String
        let key: String
        let associatedData: String
        let plaintext: String
        let sealed: String

        var testDescription: String { name }
    }

    static let examples = [
        Example(
            name: "one block",
            key: "c25cafc6018b98dfbb79a40ec89c575a4f88c4116489bba27707479800c01302"
                + "35334a45dbe8d8dae3da8dcb45bbe5dce031b0f68ded544fda7eca30d6749442",
            associatedData: "deeb0ccf3aef47a296ed1ca8f4ae5907", plaintext: "beec61030fa3d670337196beade6aeaa",
            sealed: "5865208eab9163db85cab9f96d846234a2626aae22f5c17c9aad4b501f4416e4"),
        Example(
            name: "one byte",
            key: "e2c5662bb18fbb411d0304e4241db073fe60a4704fee290073513038a22b4cd5"
                + "42580b2b4edbc37e3de01c0cb61abcad46986cdc491ce9e5ae5af223ff58b953",
            associatedData: "fab912dec29a34aabfaef176",
            plaintext: "0d",
            sealed: "1c6969ecb15741a9959b7a8492250e391a"),
        Example(
            name: "17 bytes",
            key: "139383f3f82dc78e0b380027f9e5fcd2ed23716404be5c554452e4dc73d23702"
                + "6594491820c6b8297185cc1fa84f49a5c7d7cd05c5de090ff1c3397bc2740437",
            associatedData: "d39da73ffc03ad0a9213ffc7", plaintext: "48604944a80fadf50d55b87727934458c8",
            sealed: "a9cf73951cb39823777f35c96c845169476e2ec2317cb6b8dd8b6172fdceabff9d"),
        Example(
            name: "a vector of zeros, empty associated data",
            key: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
                + "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
            associatedData: "",
            plaintext: "8dbfee9580e7e2bc66100a674497f4e1",
            sealed: "000000000000000000000000000000007ef8aa7e4dd49d9cfa09e9cb574fd90d"),
    ]

    static let key = Array(UInt8(0)..<64)
    static let associatedData = Array("which column".utf8)

    @Test("published messages seal and open, in memory of either kind", arguments: examples)
    func knownAnswer(_ example: Example) throws {
        let cipher = try AES256SIV(key: Bytes.hex(example.key).span)
        let (data, plaintext) = (Bytes.hex(example.associatedData), Bytes.hex(example.plaintext))
        let sealed = try cipher.seal(plaintext.span, associatedData: data.span)
        #expect(Hex.encode(sealed) == example.sealed)
        let opened = try cipher.open(sealed.span, associatedData: data.span)
        #expect(opened == plaintext)

        var message = [UInt8](repeating: 0xAA, count: AES256SIV.vectorLength) + plaintext
        try Self.sealInPlace(&message, cipher, data)
        #expect(message == sealed)
        var memory = [UInt8](repeating: 0xAA, count: plaintext.count)
        let done = try Self.open(sealed, cipher, data, into: &memory)
        #expect(done)
        #expect(memory == plaintext)
    }

    @Test("an empty message is misuse, and nothing opens as one")
    func empty() throws {
        let cipher = try AES256SIV(key: Self.key.span)
        let nothing: [UInt8] = []
        for data in [nothing, Self.associatedData] {
            Refusal.expect(.misuse) {
                _ = try cipher.seal(nothing.span, associatedData: data.span)
            }
            for count in 0...AES256SIV.vectorLength {
                var message = [UInt8](repeating: 0, count: count)
                Refusal.expect(.misuse) { try Self.sealInPlace(&message, cipher, data) }
                let opened = try cipher.open(message.span, associatedData: data.span)
                #expect(opened == nil, "\(count) bytes")
                var memory = nothing
                let done = try Self.open(message, cipher, data, into: &memory)
                #expect(!done, "\(count) bytes")
            }
        }
    }

    @Test(
        "equal messages have equal ciphertexts, but not with other associated data or under another key"
    )
    func deterministic() throws {
        let plaintext = Array("equal".utf8)
        func sealed(_ key: [UInt8], _ data: [UInt8]) throws -> [UInt8] {
            try AES256SIV(key: key.span).seal(plaintext.span, associatedData: data.span)
        }
        let first = try sealed(Self.key, Self.associatedData)
        #expect(try sealed(Self.key, Self.associatedData) == first)
        #expect(try sealed(Self.key, Self.associatedData + [0]) != first)
        #expect(try sealed(Self.key, []) != first)
        #expect(try sealed(Self.key.reversed(), Self.associatedData) != first)
    }

    @Test("one value serves many messages in any order, and failures between them")
    func reuse() throws {
        let cipher = try AES256SIV(key: Self.key.span)
        var source = Shake128()
        for count in 1...300 {
            let (plaintext, data) = (source.squeeze(count), source.squeeze(count % 40))
            let fresh = try AES256SIV(key: Self.key.span)
            let sealed = try cipher.seal(plaintext.span, associatedData: data.span)
            let expected = try fresh.seal(plaintext.span, associatedData: data.span)
            try #require(sealed == expected, "\(count) bytes")

            var spoilt = sealed
            spoilt[count % sealed.count] ^= 1
            let refused = try cipher.open(spoilt.span, associatedData: data.span)
            #expect(refused == nil, "\(count) bytes")
            let opened = try cipher.open(sealed.span, associatedData: data.span)
            #expect(opened == plaintext, "\(count) bytes")
        }
    }

    @Test("no bit of key, associated data, vector or ciphertext can be flipped")
    func everyBit() throws {
        let plaintext = Array("twenty-one bytes here".utf8)
        let sealed = try AES256SIV(key: Self.key.span)
            .seal(plaintext.span, associatedData: Self.associatedData.span)
        let whole = [Self.key, Self.associatedData, sealed]
        var flips = 0
        for part in whole.indices {
            for bit in 0..<whole[part].count * 8 {
                var spoilt = whole
                spoilt[part][bit / 8] ^= 1 << UInt8(bit % 8)
                let key = spoilt[0]
                let cipher = try AES256SIV(key: key.span)
                // A failure must leave nothing in the caller's memory.
                var memory = [UInt8](repeating: 0xAA, count: plaintext.count)
                let opened = try Self.open(spoilt[2], cipher, spoilt[1], into: &memory)
                #expect(!opened, "bit \(bit) of part \(part)")
                #expect(memory.allSatisfy { $0 == 0 }, "bit \(bit) of part \(part)")
                flips += 1
            }
        }
        #expect(flips == (64 + 12 + 16 + 21) * 8)
    }

    @Test("no shorter piece of a sealed message opens, nor a longer one")
    func everyLength() throws {
        let plaintext = Array("two blocks and a bit: 37 bytes, no 38.".utf8)
        let cipher = try AES256SIV(key: Self.key.span)
        let sealed = try cipher.seal(plaintext.span, associatedData: Self.associatedData.span)
        func opens(_ bytes: [UInt8], _ data: [UInt8]) throws -> Bool {
            try cipher.open(bytes.span, associatedData: data.span) != nil
        }
        #expect(try opens(sealed, Self.associatedData))
        for count in 0..<sealed.count {
            #expect(try !opens(Array(sealed.prefix(count)), Self.associatedData), "\(count)")
            #expect(try !opens(Array(sealed.suffix(count)), Self.associatedData), "\(count)")
        }
        for place in 0...sealed.count {
            var longer = sealed
            longer.insert(0, at: place)
            #expect(try !opens(longer, Self.associatedData), "a byte at \(place)")
        }
        for count in 0..<Self.associatedData.count {
            #expect(try !opens(sealed, Array(Self.associatedData.prefix(count))), "\(count)")
        }
        #expect(try !opens(sealed, Self.associatedData + [0]))
    }

    @Test("keys of other lengths are misuse", arguments: [0, 16, 32, 48, 63, 65, 128]) func keyLength(_ count: Int) {
        let key = [UInt8](repeating: 1, count: count)
        Refusal.expect(.misuse) { _ = try AES256SIV(key: key.span) }
    }

    @Test("memory of another length than the plaintext's is misuse")
    func memoryLength() throws {
        let cipher = try AES256SIV(key: Self.key.span)
        let sealed = try cipher.seal(Self.key.span, associatedData: Self.associatedData.span)
        for count in [0, 63, 65, 80] {
            var memory = [UInt8](repeating: 0, count: count)
            Refusal.expect(.misuse) {
                _ = try Self.open(sealed, cipher, Self.associatedData, into: &memory)
            }
        }
    }

    private static func sealInPlace(_ message: inout [UInt8], _ cipher: borrowing AES256SIV, _ data: [UInt8]) throws {
        var span = message.mutableSpan
        try cipher.seal(inPlace: &span, associatedData: data.span)
    }

    private static func open(
        _ sealed: [UInt8], _ cipher: borrowing AES256SIV, _ data: [UInt8], into memory: inout [UInt8]
    ) throws -> Bool {
        var span = memory.mutableSpan
        return try cipher.open(sealed.span, associatedData: data.span, into: &span)
    }
}
