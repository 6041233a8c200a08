import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct PassphraseTests {
    /// Whether both ways of making a passphrase take the bytes; they must agree.
    private func refusal(_ bytes: [UInt8]) throws -> LockstepError.Code? {
        let lent = try Refusal.code { _ = try Passphrase(bytes.span) }
        let owned = try Refusal.code { _ = try Passphrase(Secrets.make(bytes)) }
        #expect(lent == owned)
        return lent
    }

    @Test("an empty passphrase is refused")
    func empty() throws {
        #expect(try refusal([]) == .secretUnsuitable)
    }

    @Test("4,096 bytes are taken, one more is not")
    func longest() throws {
        #expect(try refusal([UInt8](repeating: 0x61, count: 4096)) == nil)
        #expect(try refusal([UInt8](repeating: 0x61, count: 4097)) == .secretUnsuitable)
    }

    @Test(
        "anything that SQLCipher would take for a raw key is refused, in both cases of x",
        arguments: ["x", "X"], [66, 67, 68, 98, 99, 100])
    func keyspecs(_ letter: String, _ count: Int) throws {
        let digits = String(repeating: "a", count: count - 3)
        let expected: LockstepError.Code? =
            count == 67 || count == 99 ? .secretUnsuitable : nil
        #expect(try refusal(Array("\(letter)'\(digits)'".utf8)) == expected)
        // What is between the quotes does not matter: a near miss is a mistyped key, not a phrase.
        let other = String(repeating: "~", count: count - 3)
        #expect(try refusal(Array("\(letter)'\(other)'".utf8)) == expected)
    }

    @Test("67 and 99 bytes that do not begin as a raw key are a passphrase", arguments: [67, 99])
    func otherBeginnings(_ count: Int) throws {
        for beginning in ["a'", "x\"", "xx", "'x", "8'", "y'"] {
            let text = beginning + String(repeating: "a", count: count - 3) + "'"
            #expect(try refusal(Array(text.utf8)) == nil, "\(beginning)")
        }
    }

    @Test("bytes are taken as they are, with their spaces, line ends and zeroes")
    func exactBytes() throws {
        let bytes = Array(" e\u{301} é\r\n\0\t".utf8) + [0xFF, 0xFE]
        let lent = try Passphrase(bytes.span)
        #expect(Secrets.bytes(of: lent.secret) == bytes)
        let owned = try Passphrase(Secrets.make(bytes))
        #expect(Secrets.bytes(of: owned.secret) == bytes)
    }

    @Test("one character is enough")
    func shortest() throws {
        #expect(try refusal([0x78]) == nil)
        #expect(try refusal(Array("x'".utf8)) == nil)
    }
}
