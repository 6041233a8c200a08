import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct ChunkedAbuseTests {
    private static let message = ChunkedMessage()
    private static let short = Array("a film of forty-seven bytes, exactly that many.".utf8)
    /// Two full chunks and a short one.
    private static let long: [UInt8] = {
        var source = Shake128()
        return source.squeeze(2 * 16_384 + 1000)
    }()

    @Test("no bit of salt, commitment, chunk or tag can be flipped, nor of key or context") func everyBit() throws {
        let sealed = try Self.message.seal(Self.short)
        #expect(try Self.message.open(sealed) == Self.short)
        for bit in 0..<sealed.count * 8 {
            var spoilt = sealed
            spoilt[bit / 8] ^= 1 << UInt8(bit % 8)
            let reading = try Self.message.read(spoilt)
            // A wrong salt or commitment is noticed before any chunk is opened.
            #expect(reading.isAccepted == (bit >= 56 * 8), "bit \(bit)")
            #expect(reading.plaintext.isEmpty && !reading.isWhole, "bit \(bit)")
        }
        for part in [\ChunkedMessage.key, \.context] {
            for bit in 0..<Self.message[keyPath: part].count * 8 {
                var other = Self.message
                other[keyPath: part][bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(try !other.read(sealed).isAccepted, "bit \(bit)")
            }
        }
    }

    @Test("a commitment of another length is another commitment", arguments: [0, 16, 31, 33, 64])
    func commitmentLength(_ count: Int) throws {
        let names = Self.message
        let whole = try names.begin().commitment
        let other = Array((whole + whole).prefix(count))
        let message = try ChunkedEncryption.opening(
            key: names.key.span, salt: names.salt.span, context: names.context.span, commitment: other.span)
        let isAccepted = message != nil
        #expect(!isAccepted)
    }

    @Test("bytes cannot move between salt and context")
    func moved() throws {
        // The salt has its length from the specification, so only the context's start is in question.
        var other = Self.message
        other.context = Array(other.context.dropFirst())
        let sealed = try Self.message.seal(Self.short)
        #expect(try !other.read(sealed).isAccepted)
        other.context = [0] + Self.message.context
        #expect(try !other.read(sealed).isAccepted)
    }

    @Test("no shorter piece of a message is a whole one, nor is one with bytes after it") func everyLength() throws {
        let sealed = try Self.message.seal(Self.short)
        for count in 0..<sealed.count {
            #expect(try Self.message.open(Array(sealed.prefix(count))) == nil, "\(count) bytes")
        }
        for count in 1...40 {
            let longer = sealed + [UInt8](repeating: 0, count: count)
            #expect(try Self.message.open(longer) == nil, "\(count) more")
        }
    }

    @Test("a message that is cut at or near a chunk's border is not whole, and does not seem so")
    func truncation() throws {
        let sealed = try Self.message.seal(Self.long)
        for border in [56, 56 + 16_400, 56 + 2 * 16_400] {
            for count in border - 17...border + 17 where count < sealed.count {
                let cut = Array(sealed.prefix(count))
                let reading = try Self.message.read(cut)
                #expect(!reading.isWhole && !reading.hasLastChunk, "\(count) bytes")
                let full = max(count - 56, 0) / 16_400
                #expect(reading.plaintext == Array(Self.long.prefix(full * 16_384)))
            }
            #expect(ChunkedLayout(encryptedLength: border) == nil)
        }
    }

    @Test("chunks cannot change places, be left out, be doubled or come from another message")
    func reordering() throws {
        let sealed = try Self.message.seal(Self.long)
        let header = Array(sealed[..<56])
        let chunks = (0..<3).map { Array(sealed.dropFirst(56 + $0 * 16_400).prefix(16_400)) }
        #expect(try Self.message.open(header + chunks.joined()) == Self.long)
        let orders = [[1, 0, 2], [0, 0, 2], [1, 1, 2], [0, 2], [1, 2], [2], [0, 1, 1, 2], [0, 1, 0, 2]]
        for order in orders {
            let spoilt = header + order.flatMap { chunks[$0] }
            #expect(try Self.message.open(spoilt) == nil, "\(order)")
        }
        #expect(try Self.message.open(sealed + chunks[2]) == nil)

        // The same plaintext under another salt, context or key.
        var others = [Self.message, Self.message, Self.message]
        others[0].salt[0] ^= 1
        others[1].context = []
        others[2].key[0] ^= 1
        for other in others {
            let foreign = try other.seal(Self.long)
            #expect(try other.open(foreign) == Self.long)
            for place in [56..<16_456, 16_456..<32_856, 32_856..<sealed.count] {
                var mixed = sealed
                mixed.replaceSubrange(place, with: foreign[place])
                #expect(try Self.message.open(mixed) == nil)
            }
        }
    }

    @Test("a full chunk is never the last one, and a short one always is")
    func lastFlag() throws {
        let sealed = try Self.message.seal(Self.long)
        let message = try Self.message.begin()
        for (number, range) in [56..<16_456, 16_456..<32_856, 32_856..<sealed.count].enumerated() {
            let isLast = number == 2
            let right = try message.open(sealed[range], number, isLast: isLast)
            #expect(right != nil)
            #expect(try message.open(sealed[range], number, isLast: !isLast) == nil)
        }
        for (count, isLast) in [(0, false), (16_383, false), (16_384, true), (16_385, false)] {
            var chunk = [UInt8](repeating: 0, count: count + 16)
            Refusal.expect(.misuse) {
                var message = try Self.message.begin()
                try message.seal(&chunk, 0, isLast: isLast)
            }
        }
    }

    @Test(
        "no room for a tag is misuse when sealing, and not a chunk when opening",
        arguments: 0..<16)
    func noTag(_ count: Int) throws {
        var chunk = [UInt8](repeating: 0, count: count)
        Refusal.expect(.misuse) {
            var message = try Self.message.begin()
            try message.seal(&chunk, 0, isLast: true)
        }
        let message = try Self.message.begin()
        #expect(try message.open(chunk[...], 0, isLast: true) == nil)
        #expect(try message.open(chunk[...], 0, isLast: false) == nil)
    }

    @Test("numbers beyond the last chunk are misuse, and the highest is only the last one's") func counter() throws {
        let limit = 1 << 38
        var last = [UInt8](repeating: 0, count: 16)
        var full = [UInt8](repeating: 0, count: 16_400)
        for number in [-1, limit, limit + 1, Int.min, Int.max] {
            Refusal.expect(.misuse) {
                var message = try Self.message.begin()
                try message.seal(&last, number, isLast: true)
            }
            Refusal.expect(.misuse) {
                _ = try Self.message.begin().open(last[...], number, isLast: true)
            }
        }
        Refusal.expect(.misuse) {
            var message = try Self.message.begin()
            try message.seal(&full, limit - 1, isLast: false)
        }
        Refusal.expect(.misuse) {
            _ = try Self.message.begin().open(full[...], limit - 1, isLast: false)
        }
        var message = try Self.message.begin()
        try message.seal(&full, limit - 2, isLast: false)
        try message.seal(&last, limit - 1, isLast: true)
        #expect(try message.open(full[...], limit - 2, isLast: false)?.count == 16_384)
        #expect(try message.open(last[...], limit - 1, isLast: true) == [])
        // Numbers that differ only beyond 38 bits are not the same.
        #expect(try message.open(last[...], 0, isLast: true) == nil)
    }

    @Test(
        "no number is sealed twice, out of order, after the last one, or for an old message"
    )
    func nonceReuse() throws {
        var message = try Self.message.begin()
        var full = [UInt8](repeating: 0, count: 16_400)
        var last = [UInt8](repeating: 0, count: 20)
        try message.seal(&full, 3, isLast: false)
        for number in 0...3 {
            Refusal.expect(.misuse) { try message.seal(&full, number, isLast: false) }
            Refusal.expect(.misuse) { try message.seal(&last, number, isLast: true) }
        }
        try message.seal(&full, 4, isLast: false)
        try message.seal(&last, 6, isLast: true)
        for number in 5...8 {
            Refusal.expect(.misuse) { try message.seal(&full, number, isLast: false) }
            Refusal.expect(.misuse) { try message.seal(&last, number, isLast: true) }
        }

        guard var old = try Self.message.opening(try Self.message.seal(Self.short)) else {
            Issue.record("the commitment does not fit")
            return
        }
        Refusal.expect(.misuse) { try old.seal(&last, 0, isLast: true) }
    }

    @Test("memory of another length than the plaintext's is misuse", arguments: [0, 46, 48, 63])
    func memoryLength(_ count: Int) throws {
        let sealed = try Self.message.seal(Self.short)
        var memory = [UInt8](repeating: 0, count: count)
        Refusal.expect(.misuse) {
            var span = memory.mutableSpan
            _ = try Self.message.begin().open(sealed.span.extracting(56...), number: 0, isLast: true, into: &span)
        }
    }
}
