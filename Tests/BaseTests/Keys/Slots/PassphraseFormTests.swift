import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Keyboards and systems make one text in different ways.
@Suite("The form of a passphrase's text")
struct PassphraseFormTests {
    /// The same text: composed, decomposed, and with its marks in another order.
    private static let forms = [
        [
            "sch\u{F6}n gr\u{FC}n \u{1E69}", "scho\u{308}n gru\u{308}n s\u{323}\u{307}",
            "scho\u{308}n gru\u{308}n s\u{307}\u{323}",
        ],
        ["\u{AC01}\u{3A9}", "\u{1100}\u{1161}\u{11A8}\u{2126}"],
    ]

    private func credential(_ bytes: [UInt8]) throws -> Credential { .passphrase(try Passphrase(bytes.span)) }
    private func credential(_ text: String) throws -> Credential { try credential(Array(text.utf8)) }

    private func open(_ text: [UInt8], _ passphrase: String) throws -> Keyring {
        try Keyring.open(text) { _ in try credential(passphrase) }
    }

    /// A keyring whose slot was made with the passphrase as it is.
    private func former(_ passphrase: String) throws -> [UInt8] {
        var keyring = try Keyring.create(.database)
        let kind = PassphraseSlot(salt: try SlotHeader.newSalt(), cost: Rings.cheap)
        let wrap = try kind.wrapAsTyped(
            credential(passphrase), KeyringSlot.info(kind.header("old"), keyring.document.ringID))
        try keyring.document.slots.append(KeyringSlot("old", kind, wrap, keyring.ringKey))
        return try keyring.encode(epoch: 1)
    }

    @Test("Each form opens a slot that was made with any", arguments: forms)
    func same(_ forms: [String]) throws {
        for made in forms {
            var keyring = try Keyring.create(.database)
            try keyring.addSlot("person", credential(made), cost: Rings.cheap)
            let text = try keyring.encode(epoch: 1)
            for typed in forms {
                let opened = try open(text, typed)
                let isAsTyped = opened.wasOpenedAsTyped
                let opens = try opened.opens("person", with: credential(typed))
                #expect(opens && !isAsTyped)
            }
        }
    }

    @Test("Another text does not, nor do bytes that are no UTF-8 in the place of others")
    func others() throws {
        var keyring = try Keyring.create(.database)
        try keyring.addSlot("person", credential("e\u{301}"), cost: Rings.cheap)
        let text = try keyring.encode(epoch: 1)
        for other in ["e", "e\u{300}", "\u{E8}", "E\u{301}"] {
            Refusal.expect(.slotNotOpened) { _ = try open(text, other) }
        }
        let bytes: [UInt8] = [0x65, 0xCC, 0x81, 0xFF]
        try keyring.addSlot("bytes", credential(bytes), cost: Rings.cheap)
        let both = try keyring.encode(epoch: 1)
        let opened = try Keyring.open(both) { slot in try slot.name == "bytes" ? credential(bytes) : nil }
        let isAsTyped = opened.wasOpenedAsTyped
        #expect(!isAsTyped)
        Refusal.expect(.slotNotOpened) {
            _ = try Keyring.open(both) { slot in
                try slot.name == "bytes" ? credential([0xC3, 0xA9, 0xFF]) : nil
            }
        }
    }

    @Test("A slot from before opens with its passphrase as it was typed, and says so, until it is made again")
    func formerSlots() throws {
        let typed = "scho\u{308}n"
        let text = try former(typed)
        var keyring = try open(text, typed)
        let isAsTyped = keyring.wasOpenedAsTyped
        let opens = try keyring.opens("old", with: credential(typed))
        #expect(isAsTyped && opens)
        Refusal.expect(.slotNotOpened) { _ = try open(text, "sch\u{F6}n") }
        try keyring.changeSlot("old", to: credential(typed), cost: Rings.cheap)
        let renewed = try keyring.encode(epoch: 2)
        for form in ["sch\u{F6}n", typed] {
            let isAsTyped = try open(renewed, form).wasOpenedAsTyped
            #expect(!isAsTyped)
        }
    }

    @Test("The second form counts against what passphrases may cost together")
    func cost() throws {
        let typed = "scho\u{308}n"
        let text = try former(typed)
        let maximum = Rings.cheap.n
        Refusal.expect(.slotNotOpened) {
            _ = try Keyring.open(text, maximum: maximum) { _ in try credential(typed) }
        }
        let opened = try Keyring.open(text, maximum: 2 * maximum) { _ in try credential(typed) }
        let isAsTyped = opened.wasOpenedAsTyped
        #expect(isAsTyped)
    }
}
