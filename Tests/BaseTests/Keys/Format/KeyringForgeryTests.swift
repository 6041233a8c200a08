import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Texts under a MAC that verifies, written by someone who holds a slot but breaks the rules.
struct KeyringForgeryTests {
    private let text: [UInt8]
    private let lines: [String]

    // 0 magic, 1 ring, 2–3 slot, 4 key 1 (retired), 5 key 2 (active), 6 key 3 (pending); no MAC.
    init() throws {
        var ring = try Rings.make()
        try ring.addKey(.database, state: .pending)
        try ring.addKey(.database, state: .pending)
        try ring.setState(.database, version: 2, to: .active)
        text = try ring.encode(epoch: 5)
        lines = Rings.lines(text).dropLast()
    }

    private func field(_ line: Int, _ number: Int) -> String {
        String(lines[line].split(separator: " ")[number])
    }

    @Test("the holder of a slot writes the same MAC as the keyring itself")
    func sound() throws {
        #expect(try RingKeyHolder(text).signed(lines) == text)
    }

    @Test(
        "a slot of an unknown type is skipped, kept and written back as it was",
        arguments: [
            ["-> token customer c2hhcmU bGFiZWw", "AAAA"],
            ["-> argon2id me c2FsdA 3 65536 4", Base64.encode([UInt8](repeating: 9, count: 80))],
            ["-> tpm2 chip", Base64.encode([UInt8](repeating: 9, count: 500))],
        ])
    func unknownSlot(_ slot: [String]) throws {
        let changed = lines[..<2] + slot + lines[2...]
        var ring = try Rings.open(try RingKeyHolder(text).signed(Array(changed)))
        let type = String(slot[0].split(separator: " ")[1])
        #expect(ring.summary.slots.map(\.kind) == [.other(type: type), .keyFile])
        try ring.addSlot("server", Rings.environment("KEY"))
        let written = Rings.lines(try ring.encode(epoch: 6))
        #expect(Array(written[2...3]) == slot)
        #expect(try Rings.refusal(written) == nil)
    }

    @Test(
        "a keyring whose only slot is of an unknown type has no usable slot, whatever it is given")
    func onlyUnknown() throws {
        let slot = ["-> token customer c2hhcmU bGFiZWw", "AAAA"]
        let changed = try RingKeyHolder(text).signed(Array(lines[..<2] + slot + lines[4...]))
        #expect(try Rings.refusal(changed) == .noUsableSlot)
        Refusal.expect(.slotNotOpened) {
            _ = try Keyring.open(changed) { _ in try Rings.keyFile() }
        }
    }

    @Test(
        "a key whose state, date, version or commitment was rewritten does not unwrap",
        arguments: [
            (6, 3, "compromised", UInt32(3)), (6, 4, "2001-01-01", 3), (6, 2, "9", 9),
            (4, 3, "pending", 1),
        ])
    func reboundKey(_ line: Int, _ number: Int, _ new: String, _ version: UInt32) throws {
        var fields = lines[line].split(separator: " ").map(String.init)
        fields[number] = new
        var changed = lines
        changed[line] = fields.joined(separator: " ")
        let ring = try Rings.open(try RingKeyHolder(text).signed(changed))
        Refusal.expect(.keyringTampered) { _ = try ring.key(.database, version: version) }
        #expect(try ring.key(.database, version: 2).count == 32)
    }

    @Test("exchanged material does not unwrap, nor does a foreign commitment")
    func exchanged() throws {
        let holder = try RingKeyHolder(text)
        let (one, other) = (field(4, 6), field(5, 6))
        var changed = lines
        changed[4] = lines[4].replacing(one, with: other)
        changed[5] = lines[5].replacing(other, with: one)
        let ring = try Rings.open(try holder.signed(changed))
        Refusal.expect(.keyringTampered) { _ = try ring.activeDatabaseKey() }
        Refusal.expect(.keyringTampered) { _ = try ring.key(.database, version: 1) }

        changed = lines
        changed[5] = lines[5].replacing(field(5, 5), with: field(4, 5))
        let committed = try Rings.open(try holder.signed(changed))
        Refusal.expect(.keyringTampered) { _ = try committed.activeDatabaseKey() }
    }

    @Test("material is held to its commitment even where it unwraps")
    func commitment() throws {
        let holder = try RingKeyHolder(text)
        let material = [UInt8](repeating: 0x77, count: 32)
        let nothing: [UInt8] = []
        let right = Secrets.bytes(
            of: try HKDF.derive(
                material.span, salt: nothing.span, info: Array("commit".utf8).span))
        var wrong = right
        wrong[31] ^= 1
        let beginning = "key database 4 pending 2026-03-09"
        let honest = try holder.keyLine(beginning, commitment: right, material: material)
        let ring = try Rings.open(try holder.signed(lines + [honest]))
        #expect(Secrets.bytes(of: try ring.key(.database, version: 4)) == material)
        let forged = try holder.keyLine(beginning, commitment: wrong, material: material)
        let other = try Rings.open(try holder.signed(lines + [forged]))
        Refusal.expect(.keyringTampered) { _ = try other.key(.database, version: 4) }
    }

    @Test("a key that does not unwrap keeps its state")
    func stateOfTampered() throws {
        var changed = lines
        changed[6] = lines[6].replacing(field(6, 6), with: field(4, 6))
        var ring = try Rings.open(try RingKeyHolder(text).signed(changed))
        Refusal.expect(.keyringTampered) {
            try ring.setState(.database, version: 3, to: .active)
        }
        #expect(try Rings.state(ring, .database, 3) == .pending)
        #expect(try Rings.state(ring, .database, 2) == .active)
        #expect(try Rings.open(ring.encode(epoch: 6)).key(.database, version: 2).count == 32)
    }

    @Test("a signed keyring opens and says so, and is not changed without its publisher") func signed() throws {
        let key = try SigningKey(seed: SecretBytes(random: 32))
        let signature = try key.line(over: Rings.joined(lines)).text
        let holder = try RingKeyHolder(text)
        let ring = try Rings.open(try holder.signed(lines + [signature]))
        #expect(ring.summary.publisher != nil)
        #expect(try ring.key(.database, version: 2).count == 32)
        Refusal.expect(.keyringConflict) { _ = try ring.encode(epoch: 6) }
        let other = try key.line(over: Rings.joined(lines.dropLast())).text
        #expect(try Rings.refusal(holder.signed(lines + [other])) == .keyringTampered)

        for spoilt in [
            [signature, signature], [signature + " "],
            [signature.replacing("ed25519", with: "rsa")],
            ["sig ed25519"], [String(signature.dropLast())], [signature + "A"],
        ] {
            #expect(try Rings.refusal(holder.signed(lines + spoilt)) == .keyringMalformed)
        }
        #expect(try Rings.refusal(holder.signed(lines[..<4] + [signature] + lines[4...])) == .keyringMalformed)
    }

    @Test("a signature that is stripped or added without the ring key is noticed") func strippedSignature() throws {
        let signature =
            "sig ed25519 \(Base64.encode([UInt8](repeating: 1, count: 32)))"
            + " \(Base64.encode([UInt8](repeating: 2, count: 64)))"
        var signed = Rings.lines(try RingKeyHolder(text).signed(lines + [signature]))
        signed.remove(at: lines.count)
        #expect(try Rings.refusal(signed) == .keyringTampered)
        var added = Rings.lines(text)
        added.insert(signature, at: lines.count)
        #expect(try Rings.refusal(added) == .keyringTampered)
    }

    @Test("the greatest possible version is read, and adding a key to it is an error") func maximumVersion() async {
        // In a separate process, because an arithmetic overflow would end this one.
        await #expect(processExitsWith: .success) {
            let text = try Rings.text()
            var changed = Array(Rings.lines(text).dropLast())
            let commitment = Base64.encode([UInt8](repeating: 7, count: 32))
            changed.append("key database 4294967295 destroyed 2026-01-01 \(commitment) -")
            var ring = try Rings.open(try RingKeyHolder(text).signed(changed))
            #expect(ring.summary.keys.map(\.version) == [1, .max])
            Refusal.expect(.keyringConflict) { try ring.addKey(.database, state: .pending) }
        }
    }

    @Test("after the greatest epoch a keyring is not written, because it could not be read again")
    func maximumEpoch() throws {
        var changed = lines
        changed[1] = lines[1].replacing("epoch 5", with: "epoch 9223372036854775807")
        let ring = try Rings.open(try RingKeyHolder(text).signed(changed))
        #expect(ring.epoch == 9_223_372_036_854_775_807)
        Refusal.expect(.keyringConflict) { _ = try ring.encode(epoch: ring.epoch + 1) }
    }
}
