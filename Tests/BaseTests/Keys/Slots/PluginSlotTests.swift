import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Keyrings with slots that a plugin seals and opens.
@Suite(.enabled(if: TestPlugin.isPossible, "\(TestPlugin.missing)"))
struct PluginSlotTests {
    private let plugin: TestPlugin

    init() throws { plugin = try TestPlugin() }

    @Test("A slot opens with an identity of its plugin, and gives the same keys")
    func roundTrip() throws {
        let ring = try plugin.ring()
        let text = try ring.encode(epoch: 1)
        let opened = try plugin.open(text)
        #expect(try Rings.databaseKey(opened) == Rings.databaseKey(ring))
        #expect(try Rings.databaseKey(Rings.open(text)) == Rings.databaseKey(ring))
        guard case .plugin(plugin.name, let stanza) = ring.summary.slots[1].kind else {
            Issue.record("not a plugin's slot")
            return
        }
        #expect(stanza.type == "lstest-test")
        #expect(stanza.arguments.count == 2)
        #expect(stanza.body.count == 32)
    }

    @Test("Each slot has a file key and a salt of its own")
    func freshness() throws {
        var ring = try Keyring.create(.database)
        try ring.addSlot("one", for: plugin.recipient(), through: plugin.found())
        try ring.addSlot("two", for: plugin.recipient(), through: plugin.found())
        var (salts, fileKeys): (Set<[UInt8]>, Set<[UInt8]>) = ([], [])
        for slot in ring.document.slots {
            let kind = try #require(slot.kind as? PluginSlot)
            salts.insert(kind.salt)
            let fileKey = try plugin.found().unwrap(kind.stanza, with: plugin.identities())
            fileKeys.insert(Secrets.bytes(ofOptional: fileKey) ?? [])
        }
        #expect(salts.count == 2)
        #expect(fileKeys.count == 2 && fileKeys.allSatisfy { $0.count == 16 })
    }

    @Test("A plugin that finds its key without an identity's data is named alone") func withoutData() throws {
        var ring = try Keyring.create(.database)
        try ring.addSlot("touch", for: plugin.recipient(seed: Array("seed of no data.".utf8)), through: plugin.found())
        let text = try ring.encode(epoch: 1)
        let identities = try PluginIdentities(withoutData: plugin.name)
        let found = try plugin.found()
        let opened = try Keyring.open(text) { try found.credential(for: $0, with: identities) }
        #expect(try Rings.databaseKey(opened) == Rings.databaseKey(ring))
    }

    @Test("Another identity, and a plugin that gives another file key, open nothing")
    func wrong() throws {
        let text = try plugin.ring().encode(epoch: 1)
        Refusal.expect(.slotNotOpened) {
            _ = try plugin.open(text, seed: Array("another seed ...".utf8))
        }
        // Its commitment refuses it: not one bit of the ring key is decrypted under another file key.
        Refusal.expect(.slotNotOpened) { _ = try plugin.open(text, "body-other") }
        Refusal.expect(.slotNotOpened) { _ = try plugin.open(text, "none") }
        let error = #expect(throws: LockstepError.self) { _ = try plugin.open(text, "none") }
        #expect(error?.message.contains("plugin lstest") == true, "\(String(describing: error))")
    }

    @Test("Of several slots the one whose plugin knows it opens")
    func several() throws {
        var ring = try Keyring.create(.database)
        let other = Array("another seed ...".utf8)
        try ring.addSlot("theirs", for: plugin.recipient(seed: other), through: plugin.found())
        try ring.addSlot("ours", for: plugin.recipient(), through: plugin.found())
        let text = try ring.encode(epoch: 1)
        for seed in [other, TestPlugin.seed] {
            let opened = try plugin.open(text, seed: seed)
            #expect(try Rings.databaseKey(opened) == Rings.databaseKey(ring))
        }
    }

    @Test(
        "A keyring starts no program: without a plugin that the caller names there is nothing to try"
    )
    func nothingByItself() throws {
        let notes = Notes()
        let text = try plugin.ring().encode(epoch: 1)
        let other = try TestPlugin("other")
        let found = try other.found(notes.listening)
        let identities = try other.identities()
        let error = #expect(throws: LockstepError.self) {
            _ = try Keyring.open(text) { try found.credential(for: $0, with: identities) }
        }
        #expect(error?.code == .noUsableSlot)
        #expect(error?.hint?.contains("the plugin lstest") == true)
        #expect(notes.texts.isEmpty)
        // And a plugin does not get the identities of another.
        let mine = try plugin.found(notes.listening)
        let refused = try Keyring.open(text) { slot in
            let offered = try mine.credential(for: slot, with: identities)
            let isOffered = offered != nil
            #expect(!isOffered)
            return slot.kind == .keyFile ? try Rings.keyFile() : nil
        }
        #expect(refused.summary.slots.count == 2)
        #expect(notes.texts.isEmpty)
    }

    @Test("No part of the slot's header can be changed, and no body replaced")
    func bound() throws {
        let ring = try plugin.ring()
        let lines = Rings.lines(try ring.encode(epoch: 1))
        let fields = lines[4].split(separator: " ").map(String.init)
        #expect(fields.count == 9)
        let found = try plugin.found()
        let identities = try plugin.identities()
        func outcome(_ header: String, _ body: String) throws -> Bool {
            let slot = try KeyringParser.parse(Rings.joined(Array(lines[..<4]) + [header, body] + lines[6...])).document
                .slots[1]
            guard let credential = try found.credential(for: slot.description, with: identities) else { return false }
            let opened = try slot.open(with: credential, ringID: ring.document.ringID)
            return opened != nil
        }
        #expect(try outcome(lines[4], lines[5]))
        // The parts that the plugin does not check: the slot's name and the salt. It checks the stanza's parts itself.
        for (index, text) in [
            (2, "tough"), (4, Base64.encode([UInt8](repeating: 1, count: 16))), (6, "other-type"),
            (8, Base64.encode([UInt8](repeating: 1, count: 16))),
        ] {
            var edited = fields
            edited[index] = text
            #expect(try !outcome(edited.joined(separator: " "), lines[5]), "field \(index)")
        }
        #expect(try !outcome(fields.joined(separator: " ") + " x", lines[5]))
        #expect(try !outcome(lines[4], lines[3]))
        // The ring is bound, too.
        let slot = ring.document.slots[1]
        let offered = try found.credential(for: slot.description, with: identities)
        guard let credential = offered else {
            Issue.record("the plugin's own slot is passed over")
            return
        }
        func opens(_ ringID: [UInt8]) throws -> Bool {
            let opened = try slot.open(with: credential, ringID: ringID)
            return opened != nil
        }
        #expect(try opens(ring.document.ringID))
        #expect(try !opens([UInt8](repeating: 0, count: 16)))
    }

    @Test("A new ring drops the slot, and its recipient gets a new one")
    func rotatedRing() throws {
        var ring = try plugin.ring()
        let before = try ring.encode(epoch: 1)
        try ring.rotateRing()
        #expect(ring.summary.slots.isEmpty)
        try ring.addSlot("touch", for: plugin.recipient(), through: plugin.found())
        let after = try ring.encode(epoch: 2)
        let opened = try plugin.open(after)
        #expect(try Rings.databaseKey(opened) == Rings.databaseKey(ring))
        #expect(Rings.lines(before)[4] != Rings.lines(after)[2])
        Refusal.expect(.slotNotOpened) {
            var lines = Rings.lines(after)
            lines.replaceSubrange(2...3, with: Rings.lines(before)[4...5])
            _ = try plugin.open(Rings.joined(lines))
        }
    }

    @Test("A dataset is issued to a plugin's recipient")
    func issuing() throws {
        let publisher = try Rings.make(.fields)
        let recipients: [String: SlotRecipient] = [
            "acme": .plugin(try plugin.recipient()),
            "coordinator": .identity(try Identity(parsing: Secrets.make(Rings.identity)).recipient),
        ]
        let issued = try publisher.issue(to: recipients) { name in
            #expect(name == plugin.name)
            return try plugin.found()
        }
        #expect(issued.summary.slots.map(\.name) == ["acme", "coordinator"])
        let opened = try plugin.open(issued.encode(epoch: 1))
        let isIssued = opened.isIssued
        #expect(isIssued)
        Refusal.expect(.keyringConflict) {
            _ = try publisher.issue(to: [:]) { _ in try plugin.found() }
        }
    }

    @Test("Names that are taken or invalid are refused before the plugin is run")
    func names() throws {
        let notes = Notes()
        let found = try plugin.found(notes.listening)
        var ring = try Rings.make()
        for name in ["file", "", "a b", "Ä"] {
            Refusal.expect(.keyringConflict) {
                try ring.addSlot(name, for: plugin.recipient(), through: found)
            }
        }
        let other = try TestPlugin("other")
        Refusal.expect(.misuse) {
            try ring.addSlot("new", for: other.recipient(), through: found)
        }
        #expect(notes.texts.isEmpty)
        #expect(ring.summary.slots.count == 1)
        try ring.addSlot("new", for: plugin.recipient(), through: found)
        #expect(notes.texts == ["run age-plugin-lstest"])
    }

    @Test("A header is at most 8192 bytes long, and a keyring 256 KiB, whatever its slots") func sizes() throws {
        var ring = try Rings.make()
        for number in 0..<31 {
            try ring.addSlot(
                "touch-\(number)", for: plugin.recipient("argument-nearly"),
                through: plugin.found())
        }
        let text = try ring.encode(epoch: 1)
        #expect(text.count <= 262_144 && text.count > 240_000)
        #expect(try Rings.open(text).summary.slots.count == 32)
        for number in 31..<33 {
            try ring.addSlot(
                "touch-\(number)", for: plugin.recipient("argument-nearly"),
                through: plugin.found())
        }
        Refusal.expect(.keyringConflict) { _ = try ring.encode(epoch: 1) }
    }

    @Test(
        "The reader in Python finds the same keys with the slot's file key",
        .enabled(if: PythonReader.isPresent, PythonReader.missing),
        arguments: KeyringPurpose.allCases)
    func python(_ purpose: KeyringPurpose) throws {
        let folder = try TemporaryFolder()
        let file = KeyringFile(folder.file("a.keyring"))
        let ring = try plugin.ring(purpose)
        try file.create(ring)
        let stanza = try ring.summary.slots[1].stanza()
        let fileKey = try plugin.found().unwrap(stanza, with: plugin.identities())
        let fileKeyBytes = Secrets.bytes(ofOptional: fileKey)
        let secret = try #require(fileKeyBytes)
        let read = try PythonReader.read(file.path, "plugin", secret: secret)
        #expect(try read == PythonReader.Contents(ring, opened: "touch"))
    }
}
