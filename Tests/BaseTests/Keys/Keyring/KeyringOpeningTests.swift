import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct KeyringOpeningTests {
    @Test("a key file opens what it closed")
    func keyFile() throws {
        var ring = try Keyring.create(.database)
        try ring.addSlot("file", Rings.keyFile(1))
        let text = try ring.encode(epoch: 1)
        let opened = try Rings.open(text, fill: 1)
        #expect(try Rings.databaseKey(opened) == Rings.databaseKey(ring))
        Refusal.expect(.slotNotOpened) { _ = try Rings.open(text, fill: 2) }
    }

    @Test("an environment variable opens what it closed, and no other variable does") func environment() throws {
        var ring = try Keyring.create(.database)
        try ring.addSlot("server", Rings.environment("LOCKSTEP_KEY"))
        let text = try ring.encode(epoch: 1)
        let opened = try Keyring.open(text) { _ in try Rings.environment("LOCKSTEP_KEY") }
        #expect(try Rings.databaseKey(opened) == Rings.databaseKey(ring))
        Refusal.expect(.slotNotOpened) {
            _ = try Keyring.open(text) { _ in try Rings.environment("LOCKSTEP_KEY", 0x5B) }
        }
        Refusal.expect(.slotNotOpened) {
            _ = try Keyring.open(text) { _ in try Rings.environment("LOCKSTEP_OTHER") }
        }
    }

    @Test("a passphrase opens what it closed, and nothing near it")
    func passphrase() throws {
        var ring = try Keyring.create(.database)
        try ring.addSlot("me", Rings.passphrase("pässword"), cost: Rings.cheap)
        let text = try ring.encode(epoch: 1)
        let opened = try Keyring.open(text) { _ in try Rings.passphrase("pässword") }
        #expect(try Rings.databaseKey(opened) == Rings.databaseKey(ring))
        for near in ["password", "Pässword", "pässword ", "pässword\n", "pa\u{300}ssword"] {
            Refusal.expect(.slotNotOpened) {
                _ = try Keyring.open(text) { _ in try Rings.passphrase(near) }
            }
        }
    }

    @Test("a passphrase slot without a cost of its own has the standard one, and opens") func standardCost() throws {
        var ring = try Keyring.create(.database)
        try ring.addSlot("me", Rings.passphrase("a passphrase"))
        let text = try ring.encode(epoch: 1)
        #expect(Rings.lines(text)[2].hasSuffix(" 17 8 1"))
        let opened = try Keyring.open(text) { slot in
            #expect(slot.kind == .passphrase(logN: 17))
            return try Rings.passphrase("a passphrase")
        }
        #expect(try Rings.databaseKey(opened) == Rings.databaseKey(ring))
    }

    @Test("each of several slots opens the same keyring")
    func severalSlots() throws {
        var ring = try Rings.make()
        try ring.addSlot("other-file", Rings.keyFile(2))
        try ring.addSlot("server", Rings.environment("KEY"))
        try ring.addSlot("me", Rings.passphrase("a passphrase"), cost: Rings.cheap)
        let text = try ring.encode(epoch: 1)
        let key = try Rings.databaseKey(ring)
        #expect(try Rings.databaseKey(Rings.open(text)) == key)
        #expect(try Rings.databaseKey(Rings.open(text, fill: 2)) == key)
        let byVariable = try Keyring.open(text) {
            $0.name == "server" ? try Rings.environment("KEY") : nil
        }
        #expect(try Rings.databaseKey(byVariable) == key)
        let byPassphrase = try Keyring.open(text) {
            $0.name == "me" ? try Rings.passphrase("a passphrase") : nil
        }
        #expect(try Rings.databaseKey(byPassphrase) == key)
    }

    @Test("slots are tried in the file's order, up to the first that opens")
    func order() throws {
        var ring = try Rings.make(fill: 1)
        try ring.addSlot("second", Rings.environment("KEY"))
        try ring.addSlot("third", Rings.keyFile(3))
        try ring.addSlot("fourth", Rings.keyFile(4))
        let text = try ring.encode(epoch: 1)
        var asked: [SlotDescription] = []
        _ = try Keyring.open(text) { slot in
            asked.append(slot)
            return slot.kind == .keyFile ? try Rings.keyFile(3) : nil
        }
        #expect(asked.map(\.name) == ["file", "second", "third"])
        #expect(asked.map(\.kind) == [.keyFile, .environment(variable: "KEY"), .keyFile])
    }

    @Test("with nothing to try, the error says what would open it")
    func nothingToTry() throws {
        var ring = try Rings.make()
        try ring.addSlot("server", Rings.environment("SOME_VARIABLE"))
        let text = try ring.encode(epoch: 1)
        do {
            _ = try Keyring.open(text) { _ in nil }
            Issue.record("it opened with nothing")
        } catch let error as LockstepError {
            #expect(error.code == .noUsableSlot)
            #expect(error.hint?.contains("key file") == true)
            #expect(error.hint?.contains("SOME_VARIABLE") == true)
        }
    }

    @Test("a credential of another kind than the slot's does not open it")
    func otherKinds() throws {
        let secret = [UInt8](repeating: 0xA5, count: 32)
        let text = try Rings.text()
        Refusal.expect(.slotNotOpened) {
            _ = try Keyring.open(text) { _ in
                try .environment(variable: "KEY", Secrets.make(secret))
            }
        }
        Refusal.expect(.slotNotOpened) {
            _ = try Keyring.open(text) { _ in .passphrase(try Passphrase(secret.span)) }
        }
    }

    @Test("an error from the caller's closure is passed on")
    func askerFails() throws {
        let text = try Rings.text()
        Refusal.expect(.notFound) {
            _ = try Keyring.open(text) { _ in throw LockstepError(.notFound, "no such file") }
        }
    }

    @Test("no error repeats the wrong passphrase")
    func silentErrors() throws {
        var ring = try Keyring.create(.database)
        try ring.addSlot("me", Rings.passphrase("the right one"), cost: Rings.cheap)
        let text = try ring.encode(epoch: 1)
        do {
            _ = try Keyring.open(text) { _ in try Rings.passphrase("gr8-wrong-phrase") }
            Issue.record("it opened")
        } catch let error as LockstepError {
            #expect(error.code == .slotNotOpened)
            #expect(!"\(error)".contains("gr8"))
        }
    }
}
