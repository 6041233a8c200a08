import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Random damage to keyrings, repeatable by its seed: the outcome is one of our errors, or the original content.
struct KeyringFuzzTests {
    private static let campaign = Campaign("KeyringFuzzTests", parts: 2, seed: Torture.seed)
    private static let refusals: Set<LockstepError.Code> = [
        .keyringMalformed, .keyringUnsupported, .keyringTampered, .slotNotOpened, .noUsableSlot,
    ]

    /// Texts to begin with; all of them open with the key file of ``Rings``.
    private static func texts() throws -> [[UInt8]] {
        var texts = [try Rings.text(.database), try Rings.text(.fields)]
        var ring = try Rings.make()
        try ring.addSlot("server", Rings.environment("KEY"))
        try ring.addKey(.database, state: .pending)
        try ring.setState(.database, version: 2, to: .active)
        try ring.setState(.database, version: 1, to: .destroyed)
        texts.append(try ring.encode(epoch: 9))
        for name in ["full", "signed", "two-credentials", "beside-x25519", "beside-scrypt"] {
            texts.append(try MalformedKeyring.text("whole", "sound-\(name)"))
        }
        texts.append(try MalformedKeyring.text("plugins", "sound-beside-plugin"))
        return texts
    }

    private static func open(_ text: [UInt8]) throws -> Keyring {
        // Passphrases are left out: each attempt would cost as much as a thousand others.
        try Keyring.open(text) { slot in
            switch slot.kind {
            case .keyFile: try Rings.keyFile()
            case .environment(let variable): try Rings.environment(variable)
            default: nil
            }
        }
    }

    /// Says what is wrong with `outcome`, or nil.
    private static func complaint(_ text: [UInt8], among originals: Set<[UInt8]>) -> String? {
        do {
            let ring = try open(text)
            // Nobody can make a MAC without a slot's secret: a text that opens is one of the originals.
            return originals.contains(text) ? nil : "a damaged text opened, epoch \(ring.epoch)"
        } catch let error as LockstepError {
            return refusals.contains(error.code) ? nil : "\(error)"
        } catch {
            return "\(error)"
        }
    }

    /// How many rounds of random work a plain test run makes: about two seconds in a debug build.
    private static let due = 2500

    @Test("Damaged texts are refused with one of our errors")
    func withoutRingKey() throws {
        let texts = try Self.texts()
        let originals = Set(texts)
        for text in texts { _ = try Self.open(text) }
        guard let part = Self.campaign.begin("without the MAC") else { return }
        defer { part.end() }
        var random = SplitMix64(stream: 31)
        var count = 0
        while part.goesOn(after: count, of: Self.due) {
            let text = Self.damaged(texts, &random)
            if let complaint = Self.complaint(text, among: originals) {
                Issue.record("step \(count), seed \(Torture.seed): \(complaint)")
                return
            }
            count += 1
        }
    }

    @Test("Texts damaged by someone who can make the MAC are read as they are, or refused") func withRingKey() throws {
        let text = try MalformedKeyring.text("whole", "sound-signed")
        let other = try MalformedKeyring.text("whole", "sound-full")
        let third = try MalformedKeyring.text("plugins", "sound-beside-plugin")
        let holder = try RingKeyHolder(text)
        let keys = try Self.materials(text).union(Self.materials(other))
        guard let part = Self.campaign.begin("with the MAC") else { return }
        defer { part.end() }
        var random = SplitMix64(stream: 32)
        var (count, opened) = (0, 0)
        while part.goesOn(after: count, of: Self.due) {
            let lines = Rings.lines(Self.damaged([text, other, third], &random)).dropLast()
            let signed = try holder.signed(Array(lines))
            do {
                try Self.requireSameMeaning(signed, keys)
                opened += 1
            } catch let error as LockstepError where Self.refusals.contains(error.code) {
            } catch {
                Issue.record("step \(count), seed \(Torture.seed): \(error)")
                return
            }
            count += 1
        }
        part.count("read", opened)
        // If none were read, the damage would be too coarse to test reading.
        if count >= Self.due { #expect(opened > 0) }
    }

    private static func damaged(
        _ texts: [[UInt8]], _ random: inout SplitMix64
    ) -> [UInt8] {
        var text = texts[Int.random(in: 0..<texts.count, using: &random)]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let other = texts[Int.random(in: 0..<texts.count, using: &random)]
            let all = KeyringMutation.allCases
            text = all[Int.random(in: 0..<all.count, using: &random)].apply(text, other, &random)
        }
        return text
    }

    /// The keys of a sound keyring.
    private static func materials(_ text: [UInt8]) throws -> Set<[UInt8]> {
        let ring = try open(text)
        var materials: Set<[UInt8]> = []
        for key in ring.summary.keys where key.state != .destroyed {
            materials.insert(Secrets.bytes(of: try ring.key(key.kind, version: key.version)))
        }
        return materials
    }

    /// A keyring that was read is written with the same content, and contains no key that did not go in.
    private static func requireSameMeaning(_ text: [UInt8], _ keys: Set<[UInt8]>) throws {
        let ring = try open(text)
        let parsed = try KeyringParser.parse(text)
        try #require(parsed.document.text(mac: parsed.mac) == text)
        for key in ring.summary.keys where key.state != .destroyed {
            let refusal = try Refusal.code {
                let material = try ring.key(key.kind, version: key.version)
                try #require(keys.contains(Secrets.bytes(of: material)))
            }
            try #require(refusal == nil || refusal == .keyringTampered)
        }
    }
}
