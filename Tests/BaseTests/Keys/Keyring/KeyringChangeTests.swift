import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What opens a keyring, and how that changes.
struct KeyringChangeTests {
    private static func command(_ fill: UInt8 = 0x11) throws -> Credential {
        try .command(output: Secrets.make([UInt8](repeating: fill, count: 32)))
    }

    private static func opens(
        _ text: [UInt8], _ credential: @escaping () throws -> Credential
    ) throws -> Bool {
        try Refusal.code { _ = try Keyring.open(text) { _ in try credential() } } == nil
    }

    // MARK: Slots for recipients and commands

    @Test("Only the holder of the identity opens the slot of its recipient")
    func recipient() throws {
        let (one, other) = (try Holder(), try Holder())
        var ring = try Keyring.create(.fields)
        try ring.addSlot("customer", for: one.identity.recipient)
        let text = try ring.encode(epoch: 1)
        #expect(try Self.opens(text) { try .identity(one.identity) })
        #expect(try !Self.opens(text) { try .identity(other.identity) })
        #expect(try !Self.opens(text) { try Rings.keyFile() })
        #expect(try ring.summary.slots.map(\.kind) == [.identity(tag: one.identity.recipient.tag())])
        let opened = try Keyring.open(text) { _ in try .identity(one.identity) }
        #expect(
            try Secrets.bytes(of: opened.key(.field, version: 1)) == Secrets.bytes(of: ring.key(.field, version: 1)))
    }

    private final class Holder {
        let identity: Identity
        init() throws { identity = try .generate() }
    }

    @Test("Each slot for one recipient has a share of its own")
    func freshShares() throws {
        let holder = try Holder()
        var ring = try Keyring.create(.database)
        try ring.addSlot("a", for: holder.identity.recipient)
        try ring.addSlot("b", for: holder.identity.recipient)
        let lines = Rings.lines(try ring.encode(epoch: 1))
        #expect(lines[2].split(separator: " ")[3] != lines[4].split(separator: " ")[3])
        #expect(lines[2].split(separator: " ")[4] == lines[4].split(separator: " ")[4])
        #expect(lines[3] != lines[5])
    }

    @Test("A share of low order opens nothing, and a recipient of low order gets no slot") func lowOrder() throws {
        let holder = try Holder()
        var ring = try Keyring.create(.database)
        try ring.addSlot("a", for: holder.identity.recipient)
        var lines = Rings.lines(try ring.encode(epoch: 1))
        var parts = lines[2].split(separator: " ").map(String.init)
        parts[3] = Base64.encode([UInt8](repeating: 0, count: 32))
        lines[2] = parts.joined(separator: " ")
        let text = Rings.joined(lines)
        #expect(
            try Refusal.code { _ = try Keyring.open(text) { _ in try .identity(holder.identity) } } == .slotNotOpened)
        Refusal.expect(.recipientMalformed) {
            try ring.addSlot("b", for: Recipient(publicKey: [UInt8](repeating: 0, count: 32)))
        }
        #expect(ring.summary.slots.count == 1)
    }

    @Test("What a command prints opens a command slot, and no key-file slot")
    func command() throws {
        var ring = try Keyring.create(.database)
        try ring.addSlot("kms", Self.command())
        let text = try ring.encode(epoch: 1)
        #expect(try Self.opens(text) { try Self.command() })
        #expect(try !Self.opens(text) { try Self.command(0x12) })
        #expect(try !Self.opens(text) { try Rings.keyFile(0x11) })
        #expect(ring.summary.slots.map(\.kind) == [.command])
    }

    @Test("A slot is not made for an identity, which only opens")
    func identityAsCredential() throws {
        let holder = try Holder()
        var ring = try Rings.make()
        Refusal.expect(.misuse) { try ring.addSlot("me", .identity(holder.identity)) }
    }

    // MARK: Removing and changing

    @Test("A removed slot no longer opens; the last one is removed only by force")
    func removing() throws {
        var ring = try Rings.make()
        try ring.addSlot("kms", Self.command())
        try ring.removeSlot("file")
        #expect(try !Self.opens(ring.encode(epoch: 2)) { try Rings.keyFile() })
        #expect(try Self.opens(ring.encode(epoch: 2)) { try Self.command() })
        Refusal.expect(.keyringConflict) { try ring.removeSlot("kms") }
        Refusal.expect(.keyringConflict) { try ring.removeSlot("file") }
        try ring.removeSlot("kms", force: true)
        Refusal.expect(.keyringConflict) { _ = try ring.encode(epoch: 3) }
    }

    @Test("A changed slot opens with the new credential, and keeps its place")
    func changing() throws {
        var ring = try Rings.make()
        try ring.addSlot("person", Rings.passphrase("the old one"), cost: Rings.cheap)
        try ring.addSlot("kms", Self.command())
        try ring.changeSlot("person", to: Rings.passphrase("the new one"), cost: Rings.cheap)
        let text = try ring.encode(epoch: 2)
        #expect(try Self.opens(text) { try Rings.passphrase("the new one") })
        #expect(try !Self.opens(text) { try Rings.passphrase("the old one") })
        #expect(ring.summary.slots.map(\.name) == ["file", "person", "kms"])
        Refusal.expect(.keyringConflict) { try ring.changeSlot("nobody", to: Self.command()) }
    }

    @Test("The secret of one slot is distinguished from that of another of its kind")
    func fitting() throws {
        var ring = try Rings.make()
        try ring.addSlot("other", Rings.keyFile(0x77))
        #expect(try ring.opens("file", with: Rings.keyFile()))
        #expect(try !ring.opens("other", with: Rings.keyFile()))
        #expect(try ring.opens("other", with: Rings.keyFile(0x77)))
        #expect(try !ring.opens("other", with: Self.command(0x77)))
        Refusal.expect(.keyringConflict) { _ = try ring.opens("none", with: Rings.keyFile()) }
    }

    // MARK: The ring key

    @Test(
        "A new ring key shuts out all slots, and keeps all keys", arguments: KeyringPurpose.allCases
    )
    func rotating(_ purpose: KeyringPurpose) throws {
        var ring = try Rings.make(purpose)
        let kind = purpose.kinds[0]
        try ring.addKey(kind, state: .pending)
        try ring.setState(kind, version: 2, to: .active)
        try ring.addKey(kind, state: .pending)
        try ring.setState(kind, version: 3, to: .destroyed)
        let before = try [1, 2].map { Secrets.bytes(of: try ring.key(kind, version: $0)) }
        let oldLines = Rings.lines(try ring.encode(epoch: 1))
        try ring.rotateRing()
        Refusal.expect(.keyringConflict) { _ = try ring.encode(epoch: 2) }
        try ring.addSlot("kms", Self.command())
        let text = try ring.encode(epoch: 2)
        #expect(try !Self.opens(text) { try Rings.keyFile() })
        let opened = try Keyring.open(text) { _ in try Self.command() }
        try opened.requireSound()
        let after = try [1, 2].map { Secrets.bytes(of: try opened.key(kind, version: $0)) }
        #expect(after == before)
        Refusal.expect(.keyUnavailable) { _ = try opened.key(kind, version: 3) }
        // Nothing of the old ring is usable in the new one: not its identifier, no slot, no wrapped key.
        let old = Set(oldLines.flatMap { $0.split(separator: " ") }.filter { $0.count > 90 })
        #expect(old.isDisjoint(with: Rings.lines(text).flatMap { $0.split(separator: " ") }))
        #expect(Rings.lines(text)[1].split(separator: " ")[1] != oldLines[1].split(separator: " ")[1])
    }

    @Test("The file takes a keyring whose ring key was changed, once")
    func savingRotated() throws {
        let folder = try TemporaryFolder()
        let file = KeyringFile(folder.file("a.database.keyring"))
        try file.create(Rings.make())
        var first = try file.open { _ in try Rings.keyFile() }
        try first.rotateRing()
        try first.addSlot("kms", Self.command())
        try file.save(&first)
        try first.addSlot("again", Self.command())
        try file.save(&first)
        #expect(try file.open { _ in try Self.command() }.epoch == 3)
    }

    // MARK: Signatures

    @Test("The signer of a keyring is known, and a change breaks the signature")
    func signing() throws {
        let folder = try TemporaryFolder()
        let file = KeyringFile(folder.file("a.fields.keyring"))
        try file.create(Rings.make(.fields))
        let publisher = try Rings.make(.fields, fill: 1)
        let stranger = try Rings.make(.fields, fill: 2)
        var ring = try file.open { _ in try Rings.keyFile() }
        #expect(ring.signer == nil)
        Refusal.expect(.signatureInvalid) { try ring.requireSignature(by: publisher.publisher()) }
        try file.sign(&ring, as: publisher)
        for signed in [0, 1] {
            let opened = try file.open { _ in try Rings.keyFile() }
            try opened.requireSignature(by: publisher.publisher())
            Refusal.expect(.signatureInvalid) {
                try opened.requireSignature(by: stranger.publisher())
            }
            #expect(try file.summary().publisher == publisher.publisher())
            Refusal.expect(.keyringConflict) { try file.save(&ring) }
            if signed == 0 { try file.sign(&ring, as: publisher) }
        }
        Refusal.expect(.keyringMismatch) { try file.sign(&ring, as: Rings.make(.database)) }
        let text = publisher.publisherText
        #expect(try Publisher(text) == publisher.publisher())
        Refusal.expect(.signatureInvalid) { _ = try Publisher(text + "A") }
    }

    @Test("A signature over another text is invalid, even if the MAC is right") func forgedSignature() throws {
        let publisher = try Rings.make(.fields, fill: 1)
        let ring = try Rings.make(.fields)
        let signed = Rings.lines(try ring.encode(epoch: 1, signer: publisher.signingKey()))
        let holder = try RingKeyHolder(Rings.joined(signed))
        var lines = Array(signed.dropLast())
        lines[1] = lines[1].replacingEpoch(with: 2)
        #expect(try Rings.refusal(holder.signed(lines)) == .keyringTampered)
        // Without its line the keyring is simply unsigned.
        let stripped = try Rings.open(try holder.signed(Array(signed.dropLast(2))))
        #expect(stripped.signer == nil)
    }
}

extension Keyring {
    fileprivate var publisherText: String { (try? publisher().description) ?? "" }
}

extension String {
    fileprivate func replacingEpoch(with epoch: Int) -> String {
        var parts = split(separator: " ").map(String.init)
        parts[3] = "\(epoch)"
        return parts.joined(separator: " ")
    }
}
