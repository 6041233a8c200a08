import TestSupport
import Testing

@testable import Lockstep

/// The figures are a matter of judgement, which the examples record.
struct PassphraseWeaknessTests {
    private static func weakness(_ text: String) throws -> PassphraseWeakness? {
        try Passphrase(Array(text.utf8).span).weakness()
    }

    @Test(
        "The first things that a guesser tries are recognised by kind",
        arguments: [
            ("password", .common), ("Password1", .common), ("P@ssw0rd", .common),
            ("letmein!", .common), ("Monkey7", .common), ("ILOVEYOU", .common),
            ("passwortpasswort", .common), ("dragon dragon", .common),
            ("aaaaaaaaaaaaaaaaaaaaaaaa", .repeats), ("xk7xk7xk7xk7xk7xk7xk7", .repeats),
            ("zzzzzz", .repeats), ("::::::::::::::::", .repeats),
            ("123456", .sequence), ("987654321", .sequence), ("abcdefghijklmnop", .sequence),
            ("qwertyuiop", .sequence), ("poiuytrewq", .sequence), ("asdfghjkl1qaz", .sequence),
            ("x", .short), ("7G", .short), ("r3$L", .short), ("Rumplig", .short),
            ("20071983", .short),
            ("ümläut", .short), ("correct horse", .fewWords), ("rumpelstiltskin", .fewWords),
            ("a lovely place", .fewWords),
        ] as [(String, PassphraseWeakness)])
    func weak(_ text: String, _ expected: PassphraseWeakness) throws {
        #expect(try Self.weakness(text) == expected)
    }

    @Test(
        "A passphrase that resists long enough is not reported",
        arguments: [
            "correct horse battery staple", "battery staple window train orbit",
            "correcthorsebatterystaple", "xK9#mQ2$vL7p", "zqvkxwmtrbnh", "Tr0ub4dor&3+zebra+Kw7",
            "0123456789abcdef0123456789abcdeX not this alone: q9Zr", "поехали кататься на лодке",
            "8f2c7a91d4e05b36",
        ])
    func strong(_ text: String) throws { #expect(try Self.weakness(text) == nil) }

    @Test("A word in front of a passphrase does not make it weaker")
    func monotonous() throws {
        for word in ["window", "9", "Zebra ", "ß"] {
            for text in ["correct horse battery staple", "xK9#mQ2$vL7p"] {
                #expect(try Self.weakness(word + text) == nil, "\(word)\(text)")
            }
        }
    }

    @Test("Any bytes of any length are checked, in time that does not grow with the length")
    func anything() throws {
        var generator = SystemRandomNumberGenerator()
        for length in [1, 2, 3, 64, 127, 128, 129, 4096] {
            for fill in [0, 0x20, 0x41, 0x80, 0xFF] as [UInt8] {
                let bytes = [UInt8](repeating: fill, count: length)
                #expect(try Passphrase(bytes.span).weakness() != nil)
            }
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            _ = try Passphrase(bytes.span).weakness()
        }
        let random = (0..<32).map { _ in UInt8.random(in: 33...126, using: &generator) }
        #expect(try Passphrase(random.span).weakness() == nil)
    }

    @Test("A report is of one of five kinds, and reveals nothing of the passphrase")
    func messages() throws {
        #expect(Set(PassphraseWeakness.allCases.map(\.description)).count == 5)
        let reported = try #require(try Self.weakness("Rumplig")).description
        #expect(!reported.lowercased().contains("rumplig"))
    }

    @Test("The list consists of lower-case ASCII words, each once")
    func list() {
        let words = CommonPasswords.all.map { "\($0)" }
        #expect(Set(words).count == words.count)
        for word in words {
            #expect(word.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) })
            #expect(word.utf8.count >= 3)
        }
    }
}
