import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct PassphraseWeaknessTests {
    private static func weakness(_ text: String) throws -> PassphraseWeakness? {
        try Passphrase(Array(text.utf8).span).weakness()
    }

    @Test(
        "A short passphrase and one of a few words are reported by kind",
        arguments: [
            ("x", .fewWords), ("password", .fewWords), ("correct horse", .fewWords), ("a lovely little place", nil),
            ("a lovely place", .fewWords), ("correct  horse   battery", .fewWords),
            ("correct horse battery staple", nil), (" correct horse battery ", .fewWords),
            ("rumpelstiltskin", .fewWords), ("aaaaaaaaaaaaaaaaaaaaaaaa", .fewWords),
            ("                    ", .fewWords), ("поехали кататься на лодке", nil), ("поехали кататься", .fewWords),
            ("Password1", .short), ("12345678901234", .short), ("123456789012345", nil),
            ("ümläüt-ümläüt9", .short), ("ümläüt-ümläüt98", nil), ("a b c d e f g", .short),
            ("xK9#mQ2$vL7p", .short), ("Tr0ub4dor&3+zebra", nil), ("8f2c7a91d4e05b36", nil),
        ] as [(String, PassphraseWeakness?)])
    func kinds(_ text: String, _ expected: PassphraseWeakness?) throws {
        #expect(try Self.weakness(text) == expected)
    }

    @Test("A word in front of a passphrase does not make it weaker")
    func monotonous() throws {
        for word in ["window", "9", "Zebra ", "ß"] {
            for text in ["correct horse battery staple", "xK9#mQ2$vL7p-rT4"] {
                #expect(try Self.weakness(word + text) == nil, "\(word)\(text)")
            }
        }
    }

    @Test("Any bytes are checked", arguments: [0, 0x20, 0x41, 0x80, 0xFF] as [UInt8])
    func anything(_ fill: UInt8) throws {
        for length in [1, 14, 15, 4096] {
            let bytes = [UInt8](repeating: fill, count: length)
            let isLong = length >= PassphraseWeakness.minimumLength
            let weakness = try Passphrase(bytes.span).weakness()
            // Only zeros are no letters and no spaces.
            #expect((weakness == nil) == (isLong && fill == 0), "\(length) bytes")
        }
    }

    @Test("A report names the kind, and reveals nothing of the passphrase")
    func messages() {
        #expect(
            PassphraseWeakness.allCases.map(\.description) == [
                "it has fewer than 15 characters", "it is fewer than 4 words",
            ])
    }
}
