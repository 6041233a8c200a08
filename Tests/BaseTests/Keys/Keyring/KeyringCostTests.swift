import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// An attacker can choose scrypt's parameters in a text.
struct KeyringCostTests {
    private let lines: [String]

    init() throws {
        var ring = try Keyring.create(.database)
        try ring.addSlot("me", Rings.passphrase("a passphrase"), cost: Rings.cheap)
        lines = Rings.lines(try ring.encode(epoch: 1))
    }

    private func with(_ cost: String) -> [UInt8] {
        var changed = lines
        changed[2] = lines[2].replacing(" 14 8 1", with: " \(cost)")
        return Rings.joined(changed)
    }

    @Test("the text that the other tests change opens")
    func sound() throws {
        let opened = try Keyring.open(with("14 8 1")) { _ in
            try Rings.passphrase("a passphrase")
        }
        #expect(opened.summary.slots.map(\.kind) == [.passphrase(logN: 14)])
    }

    @Test(
        "lowered, raised or senseless costs are refused before the passphrase is asked for",
        arguments: [
            "13 8 1", "10 8 1", "1 8 1", "0 8 1", "21 8 1", "30 8 1", "62 8 1", "63 8 1",
            "14 0 1", "14 1 1", "14 7 1", "14 9 1", "14 16 1", "14 4294967295 1", "14 8 0",
            "14 8 2", "14 8 4294967295", "17 0 0", "20 1024 1024",
        ])
    func refused(_ cost: String) throws {
        Refusal.expect(.keyringUnsupported) {
            _ = try Keyring.open(with(cost)) { _ in
                Issue.record("the passphrase was asked for")
                return nil
            }
        }
    }

    @Test(
        "anything but a number of the right size is malformed",
        arguments: [
            "64 8 1", "014 8 1", "-14 8 1", "+14 8 1", "14.0 8 1", "14 08 1", "14 8 01", "18446744073709551616 8 1",
            "14 4294967296 1", "14 8 4294967296", "14 8", "14 8 1 1", " 8 1", "N 8 1", "16384 8 1",
        ])
    func malformed(_ cost: String) throws {
        Refusal.expect(.keyringMalformed) {
            _ = try Keyring.open(with(cost)) { _ in
                Issue.record("the passphrase was asked for")
                return nil
            }
        }
    }

    @Test("acceptable costs that were changed afterwards do not open", arguments: ["15 8 1"])
    func changed(_ cost: String) throws {
        Refusal.expect(.slotNotOpened) {
            _ = try Keyring.open(with(cost)) { _ in try Rings.passphrase("a passphrase") }
        }
    }

    @Test("no byte of a passphrase slot's header can be changed")
    func everyByteOfTheHeader() throws {
        let text = Rings.joined(lines)
        let start = lines[0].utf8.count + lines[1].utf8.count + 2
        let header = start..<start + lines[2].utf8.count
        #expect(text[header].elementsEqual(lines[2].utf8))
        for index in header {
            var spoilt = text
            spoilt[index] ^= 1
            let code = try Refusal.code {
                _ = try Keyring.open(spoilt) { slot in
                    if case .passphrase = slot.kind {
                        try Rings.passphrase("a passphrase")
                    } else {
                        nil
                    }
                }
            }
            let expected: Set<LockstepError.Code?> = [
                .keyringMalformed, .keyringUnsupported, .slotNotOpened, .noUsableSlot,
            ]
            #expect(expected.contains(code), "byte \(index - start)")
        }
    }

    @Test("a new slot never takes its cost from the existing slots")
    func policy() throws {
        var ring = try Keyring.open(Rings.joined(lines)) { _ in
            try Rings.passphrase("a passphrase")
        }
        try ring.addSlot("again", Rings.passphrase("another"))
        #expect(
            ring.summary.slots.map(\.kind) == [
                .passphrase(logN: 14), .passphrase(logN: 17),
            ])
    }
}
