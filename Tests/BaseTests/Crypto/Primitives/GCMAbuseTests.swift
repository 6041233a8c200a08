import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct GCMAbuseTests {
    /// The inputs of opening; each test damages one.
    struct Message {
        var key = [UInt8](repeating: 0x42, count: 32)
        var nonce: [UInt8]
        var associatedData = Array("which row, which column".utf8)
        var sealed: [UInt8] = []

        static let plaintext = Array("a film of forty-seven bytes, exactly that many.".utf8)

        static func plain() throws -> Message {
            var message = Message(nonce: [UInt8](repeating: 7, count: AEAD.nonceLength))
            message.sealed = try AEAD().seal(
                plaintext.span, key: message.key.span, nonce: message.nonce.span,
                associatedData: message.associatedData.span)
            return message
        }

        static func extended() throws -> Message {
            var message = Message(nonce: [UInt8](repeating: 7, count: XAES256GCM.nonceLength))
            var cipher = try XAES256GCM(key: message.key.span)
            message.sealed = try cipher.seal(
                plaintext.span, nonce: message.nonce.span, associatedData: message.associatedData.span)
            return message
        }

        /// Opens it with the algorithm that its nonce's length implies.
        func open() throws -> [UInt8]? {
            if nonce.count == AEAD.nonceLength {
                return Secrets.bytes(
                    ofOptional: try AEAD().open(
                        sealed.span, key: key.span, nonce: nonce.span, associatedData: associatedData.span))
            }
            var cipher = try XAES256GCM(key: key.span)
            return Secrets.bytes(
                ofOptional: try cipher.open(sealed.span, nonce: nonce.span, associatedData: associatedData.span))
        }
    }

    enum Algorithm: CaseIterable, Sendable {
        case plain, extended

        func message() throws -> Message {
            switch self {
            case .plain: try Message.plain()
            case .extended: try Message.extended()
            }
        }
    }

    @Test(
        "no bit of key, nonce, associated data, ciphertext or tag can be flipped",
        arguments: Algorithm.allCases)
    func everyBit(_ algorithm: Algorithm) throws {
        let whole = try algorithm.message()
        #expect(try whole.open() == Message.plaintext)
        let parts: [WritableKeyPath<Message, [UInt8]>] = [\.key, \.nonce, \.associatedData, \.sealed]
        var flips = 0
        for part in parts {
            for bit in 0..<whole[keyPath: part].count * 8 {
                var spoilt = whole
                spoilt[keyPath: part][bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(try spoilt.open() == nil, "bit \(bit)")
                flips += 1
            }
        }
        #expect(flips == (32 + whole.nonce.count + 23 + 47 + 16) * 8)
    }

    @Test("no shorter piece of a sealed message opens", arguments: Algorithm.allCases)
    func everyLength(_ algorithm: Algorithm) throws {
        let whole = try algorithm.message()
        for count in 0..<whole.sealed.count {
            var front = whole
            front.sealed = Array(whole.sealed.prefix(count))
            #expect(try front.open() == nil, "the first \(count) bytes")
            var back = whole
            back.sealed = Array(whole.sealed.suffix(count))
            #expect(try back.open() == nil, "the last \(count) bytes")
        }
    }

    @Test(
        "a shortened tag is refused even if its bytes are right",
        arguments: Algorithm.allCases)
    func shortTag(_ algorithm: Algorithm) throws {
        // With an empty ciphertext only the tag remains, and libcrypto would accept 4 bytes of it.
        var message = try algorithm.message()
        for count in 1..<16 {
            message.sealed = Array(message.sealed.suffix(16).prefix(count))
            #expect(try message.open() == nil)
            message = try algorithm.message()
            message.sealed.removeLast(16 - count)
            #expect(try message.open() == nil)
            message = try algorithm.message()
        }
    }

    @Test("no bytes can be added before, between or after", arguments: Algorithm.allCases)
    func additions(_ algorithm: Algorithm) throws {
        let whole = try algorithm.message()
        for place in [0, 47, whole.sealed.count] {
            var longer = whole
            longer.sealed.insert(0, at: place)
            #expect(try longer.open() == nil, "a byte at \(place)")
        }
        for data in [[], whole.associatedData + [0], whole.associatedData.dropLast()] {
            var other = whole
            other.associatedData = data
            #expect(try other.open() == nil, "associated data of \(data.count) bytes")
        }
    }

    @Test("bytes cannot move between associated data and ciphertext")
    func moved() throws {
        var message = try Message.plain()
        message.sealed.insert(message.associatedData.removeLast(), at: 0)
        #expect(try message.open() == nil)
    }

    @Test("keys of other lengths are misuse", arguments: [0, 16, 24, 31, 33, 64])
    func keyLength(_ count: Int) throws {
        var message = try Message.plain()
        message.key = [UInt8](repeating: 0x42, count: count)
        Refusal.expect(.misuse) { _ = try message.open() }
        Refusal.expect(.misuse) {
            _ = try AEAD().seal(
                Message.plaintext.span, key: message.key.span, nonce: message.nonce.span,
                associatedData: message.associatedData.span)
        }
    }

    @Test("nonces of other lengths are misuse", arguments: [0, 8, 11, 13, 16, 24])
    func nonceLength(_ count: Int) throws {
        let message = try Message.plain()
        let nonce = [UInt8](repeating: 7, count: count)
        let gcm = try AEAD()
        Refusal.expect(.misuse) {
            _ = try gcm.open(
                message.sealed.span, key: message.key.span, nonce: nonce.span,
                associatedData: message.associatedData.span)
        }
        Refusal.expect(.misuse) {
            _ = try gcm.seal(
                Message.plaintext.span, key: message.key.span, nonce: nonce.span,
                associatedData: message.associatedData.span)
        }
    }
}
