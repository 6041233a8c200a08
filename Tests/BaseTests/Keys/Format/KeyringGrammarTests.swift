import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Texts that break the format's rules. Every one is refused before any credential is asked for.
struct KeyringGrammarTests {
    private let lines: [String]

    init() throws { lines = try Rings.rotatedLines() }

    private func refusal(_ text: [UInt8]) throws -> LockstepError.Code? {
        try Refusal.code {
            _ = try Keyring.open(text) { _ in
                Issue.record("a credential was asked for")
                return nil
            }
        }
    }

    /// How the text is refused with one line changed.
    private func refusal(
        line: Int, _ change: (String) -> String
    ) throws -> LockstepError.Code? {
        var changed = lines
        changed[line] = change(lines[line])
        #expect(changed != lines, "the change changes nothing")
        return try refusal(Rings.joined(changed))
    }

    private func replacing(
        _ line: Int, field: Int, _ text: String
    ) throws -> LockstepError.Code? {
        try refusal(line: line) {
            var fields = $0.split(separator: " ").map(String.init)
            fields[field] = text
            return fields.joined(separator: " ")
        }
    }

    @Test("the text that the other tests change is read")
    func sound() throws {
        #expect(lines.count == 7)
        #expect(try Rings.refusal(lines) == nil)
    }

    @Test(
        "another format is unsupported, another file malformed",
        arguments: [
            ("lockstep-keyring/5", LockstepError.Code.keyringUnsupported), ("lockstep-keyring/4", .keyringMalformed),
            ("lockstep-keyring/3", .keyringUnsupported), ("lockstep-keyring/2", .keyringUnsupported),
            ("lockstep-keyring/1 ", .keyringUnsupported),
            ("lockstep-keyring/", .keyringUnsupported),
            ("lockstep-keyring", .keyringMalformed), (" lockstep-keyring/1", .keyringMalformed),
            ("", .keyringMalformed), ("age-encryption.org/v1", .keyringMalformed),
        ])
    func magic(_ text: String, _ code: LockstepError.Code) throws {
        #expect(try refusal(line: 0) { _ in text } == code)
    }

    @Test("lines end with LF alone, and the file ends with exactly one")
    func lineEnds() throws {
        let text = String(decoding: Rings.joined(lines), as: UTF8.self)
        for spoilt in [
            text.replacing("\n", with: "\r\n"), text.replacing("\n", with: "\r"),
            String(text.dropLast()), text + "\n", "\n" + text, text + "x", text + " \n",
            text + text, text.replacing("\nkey", with: "\n\nkey"), "\u{FEFF}" + text,
            text + "\0", text.replacing("ring ", with: "ring\t"), "", "\n", "\n\n",
        ] {
            #expect(try refusal(Array(spoilt.utf8)) == .keyringMalformed)
        }
    }

    @Test(
        "fields are separated by one space, and their number is the format's",
        arguments: [1, 2, 4, 5, 6])
    func spaces(_ line: Int) throws {
        #expect(try refusal(line: line) { $0 + " " } == .keyringMalformed)
        #expect(try refusal(line: line) { $0 + " x" } == .keyringMalformed)
        #expect(try refusal(line: line) { " " + $0 } == .keyringMalformed)
        #expect(try refusal(line: line) { $0.replacing(" ", with: "  ") } == .keyringMalformed)
        let shorter: (String) -> String = {
            $0.split(separator: " ").dropLast().joined(separator: " ")
        }
        #expect(try refusal(line: line, shorter) == .keyringMalformed)
    }

    @Test(
        "an epoch is a number from 1 on, spelled in one way",
        arguments: [
            "0", "05", "+5", "-5", "5.0", "0x5", "five", "9223372036854775808",
            "18446744073709551616", "５",
        ])
    func epoch(_ text: String) throws {
        #expect(try replacing(1, field: 3, text) == .keyringMalformed)
    }

    @Test("base64 is canonical, wherever it stands")
    func base64() throws {
        let places = [(1, 1), (1, 7), (2, 3), (3, 0), (4, 5), (4, 6), (5, 6), (6, 1)]
        for (line, field) in places {
            let good = String(lines[line].split(separator: " ")[field])
            let last = try #require(good.unicodeScalars.last)
            let next = try #require(UnicodeScalar(last.value + 1))
            var spoilt = [
                good + "=", good + "==", good + "A", String(good.dropLast()), "-",
                good.dropLast() + "!", String(good.dropLast(4)), good + "AAAA",
            ]
            // With 16, 32 and 80 bytes the last character has unused bits; with 72 it has none.
            if good.utf8.count != 96 { spoilt.append(good.dropLast() + String(next)) }
            for text in spoilt {
                #expect(
                    try replacing(line, field: field, text) == .keyringMalformed,
                    "line \(line), field \(field): \(text)")
            }
        }
    }

    @Test("a purpose and its subject fit each other, and the keys' kinds fit both")
    func purposes() throws {
        #expect(try replacing(1, field: 5, "fields") == .keyringMalformed)
        #expect(try replacing(1, field: 6, "dataset") == .keyringMalformed)
        #expect(try replacing(1, field: 5, "Database") == .keyringMalformed)
        #expect(
            try refusal(line: 1) {
                $0.replacing("database database", with: "fields dataset")
            } == .keyringMalformed)
        #expect(try replacing(4, field: 1, "field") == .keyringMalformed)
        #expect(try replacing(4, field: 1, "master") == .keyringMalformed)
    }

    @Test(
        "a version is a number from 1 to 2^32 - 1, spelled in one way",
        arguments: [
            "0", "01", "-1", "4294967296", "one", "1 ",
        ])
    func version(_ text: String) throws {
        #expect(try replacing(4, field: 2, text) == .keyringMalformed)
    }

    @Test("an unknown state is refused", arguments: ["expired", "Active", "ACTIVE", "deleted"])
    func states(_ text: String) throws {
        #expect(try replacing(4, field: 3, text) == .keyringMalformed)
    }

    @Test(
        "a date is a day of the calendar",
        arguments: [
            "2026-02-29", "2026-13-01", "2026-3-9", "today", "20260309", "2026-03-09T00:00:00Z",
        ])
    func dates(_ text: String) throws {
        #expect(try replacing(4, field: 4, text) == .keyringMalformed)
    }

    @Test("material is missing exactly when the key is destroyed")
    func material() throws {
        #expect(try replacing(4, field: 6, "-") == .keyringMalformed)
        #expect(try replacing(5, field: 6, "-") == .keyringMalformed)
        #expect(try replacing(4, field: 3, "destroyed") == .keyringMalformed)
    }
}
