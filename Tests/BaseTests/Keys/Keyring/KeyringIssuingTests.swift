import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Keyrings of a dataset that are made for its customers.
struct KeyringIssuingTests {
    /// A customer with an identity.
    private final class Person {
        let identity: Identity
        var recipient: Recipient { identity.recipient }

        init() throws { identity = try Identity.generate() }

        func open(_ text: [UInt8]) throws -> Keyring {
            try Keyring.open(text) { _ in try .identity(identity) }
        }
    }

    /// Field keys 1 retired, 2 destroyed, 3 compromised, 4 active and 5 pending; two index and two manifest keys.
    private static func makePublisher() throws -> Rings.Box {
        let box = Rings.Box(try Rings.make(.fields))
        let day = try Rings.day("2026-03-09")
        for version: UInt32 in 2...4 {
            try box.ring.addKey(.field, state: .pending, today: day)
            try box.ring.setState(.field, version: version, to: .active, today: day)
        }
        try box.ring.addKey(.field, state: .pending, today: day)
        try box.ring.setState(.field, version: 2, to: .destroyed, today: day)
        try box.ring.setState(.field, version: 3, to: .compromised, today: day)
        for kind in [KeyKind.index, .manifest] {
            try box.ring.addKey(kind, state: .pending, today: day)
            try box.ring.setState(kind, version: 2, to: .active, today: day)
        }
        return box
    }

    private let folder: TemporaryFolder
    private let publisher: Rings.Box
    private let one: Person
    private let other: Person

    init() throws {
        folder = try TemporaryFolder()
        publisher = try Self.makePublisher()
        one = try Person()
        other = try Person()
    }

    /// The text of a keyring that was issued to one customer, and signed.
    private func issued(_ person: Person? = nil) throws -> [UInt8] {
        let ring = try publisher.ring.issue(to: (person ?? one).recipient)
        return try ring.encode(epoch: 1, signer: publisher.ring.signingKey())
    }

    @Test("the customer gets the field and index keys in their states, and no manifest key") func keys() throws {
        let ring = try one.open(issued())
        let (isIssued, epoch) = (ring.isIssued, ring.epoch)
        #expect(isIssued && epoch == 1)
        #expect(ring.subjectID == publisher.ring.subjectID)
        let keys = ring.summary.keys
        #expect(keys == publisher.ring.summary.keys.filter { $0.kind != .manifest })
        for (version, state) in zip(
            UInt32(1)..., [KeyState.retired, .destroyed, .compromised, .active, .pending])
        {
            #expect(try Rings.state(ring, .field, version) == state)
        }
        try ring.requireSound()
        for key in keys where key.state != .destroyed {
            let theirs = Secrets.bytes(of: try ring.key(key.kind, version: key.version))
            let ours = Secrets.bytes(of: try publisher.ring.key(key.kind, version: key.version))
            #expect(theirs == ours)
        }
        Refusal.expect(.keyUnavailable) { _ = try ring.key(.field, version: 2) }
        let fields = try ring.fieldKeys()
        #expect(fields.activeVersion == 4 && fields.activeIndexVersion == 2)
        let ours = publisher.ring.isIssued
        #expect(!ours)
    }

    @Test("two customers' keyrings share no ring, no slot, no wrapped key, and name nobody else") func apart() throws {
        let (first, second) = (try issued(), try issued(other))
        let documents = try [first, second].map { try KeyringParser.parse($0).document }
        #expect(documents[0].ringID != documents[1].ringID)
        #expect(documents[0].ringID != publisher.ring.document.ringID)
        #expect(documents.allSatisfy { $0.slots.map(\.name) == ["reader"] })
        let wrapped = (documents + [publisher.ring.document]).flatMap { $0.keys.map(\.wrapped) }.compactMap { $0 }
        #expect(Set(wrapped).count == wrapped.count)
        for (text, stranger) in [(first, other), (second, one)] {
            let text = String(decoding: text, as: UTF8.self)
            #expect(!text.contains(Base64.encode(try stranger.recipient.tag())))
            #expect(!text.contains(stranger.recipient.description))
        }
    }

    @Test("another customer's identity does not open it, nor does what opens the publisher's")
    func otherIdentity() throws {
        let text = try issued()
        Refusal.expect(.slotNotOpened) { _ = try other.open(text) }
        #expect(try Rings.refusal(text) == .noUsableSlot)
        // Not even if the slot's tag is changed to theirs.
        var lines = Rings.lines(text)
        let tag = try [one, other].map { Base64.encode(try $0.recipient.tag()) }
        lines[2] = lines[2].replacing(tag[0], with: tag[1])
        Refusal.expect(.slotNotOpened) { _ = try other.open(Rings.joined(lines)) }
    }

    @Test("it cannot sign, nor issue, and a key of the publisher's cannot be put into it") func powerless() throws {
        var ring = try one.open(issued())
        Refusal.expect(.keyringMismatch) { _ = try ring.publisher() }
        Refusal.expect(.keyringMismatch) { _ = try ring.signingKey() }
        Refusal.expect(.keyringMismatch) { _ = try ring.issue(to: other.recipient) }
        Refusal.expect(.keyUnavailable) { _ = try ring.key(.manifest, version: 1) }
        let file = KeyringFile(folder.file("x.fields.keyring"))
        Refusal.expect(.keyringMismatch) { try file.create(Rings.make(.fields), signedBy: ring) }
        #expect(!file.exists)
        // The line of the publisher's manifest key is wrapped under another ring.
        let own = Rings.lines(try publisher.ring.encode(epoch: 1))
        let seed = try #require(own.last { $0.hasPrefix("key manifest") })
        var lines = Rings.lines(try issued())
        let place = try #require(lines.lastIndex { $0.hasPrefix("key ") })
        lines.insert(seed, at: place + 1)
        Refusal.expect(.keyringTampered) { _ = try one.open(Rings.joined(lines)) }
        // It makes no keys of its own when unsigned, either: nobody else could open what is under them.
        ring = try one.open(publisher.ring.issue(to: one.recipient).encode(epoch: 1))
        for kind in [KeyKind.field, .index, .manifest] {
            Refusal.expect(.keyringConflict) { _ = try ring.createKey(kind) }
        }
        Refusal.expect(.keyringConflict) { try ring.activateKey(.field, version: 5) }
        try ring.destroyKey(.field, version: 1)
        #expect(try Rings.state(ring, .field, 1) == .destroyed)
    }

    @Test("who issued it is known, and a stripped or foreign signature is noticed")
    func signature() throws {
        let file = KeyringFile(folder.file("customer.fields.keyring"))
        try file.create(publisher.ring.issue(to: one.recipient), signedBy: publisher.ring)
        let pinned = try publisher.ring.publisher()
        var ring = try file.open { _ in try .identity(one.identity) }
        try ring.requireSignature(by: pinned)
        Refusal.expect(.alreadyExists) {
            try file.create(publisher.ring.issue(to: one.recipient), signedBy: publisher.ring)
        }
        // Anyone who holds a slot can make a MAC; the signature is the publisher's.
        try ring.addSlot("mine", Rings.keyFile())
        Refusal.expect(.keyringConflict) { try file.save(&ring) }
        ring.document.signature = nil
        ring.document.slots.reverse()
        let text = try ring.encode(epoch: 2)
        let stripped = try Rings.open(text)
        Refusal.expect(.signatureInvalid) { try stripped.requireSignature(by: pinned) }
        let forger = try Rings.make(.fields, fill: 9)
        let forged = try Rings.open(ring.encode(epoch: 2, signer: forger.signingKey()))
        Refusal.expect(.signatureInvalid) { try forged.requireSignature(by: pinned) }
        // The publisher's signature of another customer's keyring.
        let genuine = try #require(try KeyringParser.parse(issued(other)).document.signature).text
        let moved = try RingKeyHolder(text).signed(Rings.lines(text).dropLast() + [genuine])
        #expect(try Rings.refusal(moved) == .keyringTampered)
    }

    @Test("several people at a customer have a slot each")
    func several() throws {
        let ring = try publisher.ring.issue(to: [
            "office": one.recipient, "vault": other.recipient,
        ])
        let text = try ring.encode(epoch: 1)
        #expect(try KeyringParser.parse(text).document.slots.map(\.name) == ["office", "vault"])
        for person in [one, other] { try person.open(text).requireSound() }
    }

    @Test("impossible datasets, and recipients that cannot be issued to, are refused") func refusals() throws {
        Refusal.expect(.keyringMismatch) { _ = try Rings.make().issue(to: one.recipient) }
        Refusal.expect(.keyringConflict) { _ = try publisher.ring.issue(to: [:]) }
        Refusal.expect(.keyringConflict) {
            _ = try publisher.ring.issue(to: ["A customer": one.recipient])
        }
        var many: [String: Recipient] = [:]
        for number in 0...KeyringDocument.maximumSlots { many["slot-\(number)"] = one.recipient }
        Refusal.expect(.keyringConflict) { _ = try publisher.ring.issue(to: many) }
        Refusal.expect(.recipientMalformed) {
            let zero = Recipient(publicKey: [UInt8](repeating: 0, count: 32))
            _ = try publisher.ring.issue(to: zero)
        }
    }

    @Test("a key that does not unwrap is not passed on")
    func damaged() throws {
        let holder = try RingKeyHolder(publisher.ring.encode(epoch: 1))
        var lines = Array(Rings.lines(try publisher.ring.encode(epoch: 1)).dropLast())
        let place = try #require(lines.firstIndex { $0.hasPrefix("key field 4") })
        let commitment = [UInt8](repeating: 7, count: 32)
        lines[place] = try holder.keyLine(
            "key field 4 active 2026-03-09", commitment: commitment, material: [UInt8](repeating: 1, count: 32))
        let ring = try Rings.open(holder.signed(lines))
        Refusal.expect(.keyringTampered) { _ = try ring.issue(to: one.recipient) }
    }
}
