import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct SecretBytesTests {
    @Test("a secret holds what was copied into it")
    func copying() throws {
        let bytes = Array(UInt8.min...UInt8.max)
        let secret = try Secrets.make(bytes)
        #expect(secret.count == 256)
        #expect(Secrets.bytes(of: secret) == bytes)
    }

    @Test("memory that is asked for is zero, even where a secret lay before")
    func zeroed() throws {
        for _ in 0..<20 {
            do { _ = try Secrets.make([UInt8](repeating: 0xEE, count: 200)) }
            let fresh = try SecretBytes(zeroed: 200)
            #expect(Secrets.bytes(of: fresh) == [UInt8](repeating: 0, count: 200))
        }
    }

    @Test("equality is that of bytes and of lengths")
    func equality() throws {
        let one = try Secrets.make("one secret")
        let same = try Secrets.make("one secret")
        let shorter = try Secrets.make("one secre")
        let longer = try Secrets.make("one secret\0")
        let (equal, self0) = (one == same, one == one)
        #expect(equal && self0)
        let (less, more) = (one == shorter, one == longer)
        #expect(!less && !more)
        for bit in 0..<80 {
            var other = try one.clone()
            var bytes = other.mutableBytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            let stillEqual = one == other
            #expect(!stillEqual, "bit \(bit)")
        }
    }

    @Test("a secret of no bytes is equal to another and to nothing else")
    func empty() throws {
        let nothing = try SecretBytes(zeroed: 0)
        #expect(nothing.count == 0)
        #expect(Secrets.bytes(of: nothing) == [])
        let copy = try nothing.clone()
        let equal = nothing == copy
        #expect(equal)
        let zero = try SecretBytes(zeroed: 1)
        let different = nothing == zero
        #expect(!different)
        let none: [UInt8] = []
        #expect(try SecretBytes(copying: none.span).count == 0)
    }

    @Test("a clone is a secret of its own")
    func clone() throws {
        let one = try Secrets.make("secret")
        var other = try one.clone()
        var bytes = other.mutableBytes
        bytes[0] = UInt8(ascii: "X")
        #expect(Secrets.bytes(of: one) == Array("secret".utf8))
        #expect(Secrets.bytes(of: other) == Array("Xecret".utf8))
    }

    @Test("a prefix ends where requested, at most at the end")
    func prefix() throws {
        let secret = try Secrets.make("secret")
        #expect(Secrets.bytes(of: try secret.prefix(3)) == Array("sec".utf8))
        #expect(Secrets.bytes(of: try secret.prefix(0)) == [])
        #expect(Secrets.bytes(of: try secret.prefix(6)) == Array("secret".utf8))
        #expect(Secrets.bytes(of: try secret.prefix(7)) == Array("secret".utf8))
    }

    @Test("random secrets differ, and fill their whole length")
    func random() throws {
        var seen: Set<[UInt8]> = []
        var combined = [UInt8](repeating: 0, count: 32)
        for _ in 0..<64 {
            let bytes = Secrets.bytes(of: try SecretBytes(random: 32))
            seen.insert(bytes)
            for index in 0..<32 { combined[index] |= bytes[index] }
        }
        #expect(seen.count == 64)
        // A byte that is zero in 64 draws has odds of 2^-512; one that is never written is certain.
        #expect(!combined.contains(0))
    }

    @Test("public random bytes differ, and have the length asked for")
    func publicRandom() throws {
        let draws = try (0..<64).map { _ in try Random.bytes(24) }
        #expect(Set(draws).count == 64)
        #expect(draws.allSatisfy { $0.count == 24 })
        #expect(try Random.bytes(0) == [])
    }

    @Test("more than the secure heap holds is refused, and existing secrets survive") func exhaustion() throws {
        let before = try Secrets.make("still here")
        Refusal.expect(.secureMemoryExhausted) { _ = try SecretBytes(zeroed: 1 << 20) }
        Refusal.expect(.secureMemoryExhausted) { _ = try SecretBytes(random: 1 << 20) }
        #expect(Secrets.bytes(of: before) == Array("still here".utf8))
        #expect(Secrets.bytes(of: try Secrets.make("again")) == Array("again".utf8))
    }

    @Test("secrets go back to the heap when they end")
    func noLeak() throws {
        // 4,096 secrets of 512 bytes are eight times the heap.
        for _ in 0..<4096 { _ = try SecretBytes(random: 512) }
        #expect(try SecretBytes(zeroed: 512).count == 512)
    }
}
