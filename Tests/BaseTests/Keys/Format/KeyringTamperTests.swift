import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Texts changed by someone who holds no slot.
struct KeyringTamperTests {
    private static let refusals: Set<LockstepError.Code> = [
        .keyringMalformed, .keyringUnsupported, .keyringTampered, .slotNotOpened, .noUsableSlot,
    ]

    /// A text with slots of two kinds and keys of three states.
    private static func text(_ purpose: KeyringPurpose) throws -> [UInt8] {
        var ring = try Rings.make(purpose)
        try ring.addSlot("server", Rings.environment("KEY"))
        let kind = purpose.kinds[0]
        try ring.addKey(kind, state: .pending)
        try ring.addKey(kind, state: .pending)
        try ring.setState(kind, version: 2, to: .active)
        try ring.setState(kind, version: 1, to: .destroyed)
        return try ring.encode(epoch: 12)
    }

    /// Opens with everything that fits, as a program with all its credentials at hand would.
    private static func refusal(_ text: [UInt8]) throws -> LockstepError.Code? {
        try Refusal.code {
            _ = try Keyring.open(text) { slot in
                switch slot.kind {
                case .keyFile: try Rings.keyFile()
                case .environment(let variable): try Rings.environment(variable)
                case .passphrase, .command, .identity, .plugin, .other: nil
                }
            }
        }
    }

    @Test("no byte can be changed", arguments: KeyringPurpose.allCases)
    func everyByte(_ purpose: KeyringPurpose) throws {
        let text = try Self.text(purpose)
        #expect(try Self.refusal(text) == nil)
        var met: Set<LockstepError.Code> = []
        for index in text.indices {
            let flips = (0..<8).map { text[index] ^ 1 << UInt8($0) }
            let others = Array("\n\r A9-".utf8)
            for byte in Set(flips + others) where byte != text[index] {
                var spoilt = text
                spoilt[index] = byte
                let code = try Self.refusal(spoilt)
                guard let code, Self.refusals.contains(code) else {
                    Issue.record("byte \(index) as \(byte): \(code.map(\.rawValue) ?? "opened")")
                    continue
                }
                met.insert(code)
            }
        }
        #expect(met.isSuperset(of: [.keyringMalformed, .keyringUnsupported, .keyringTampered]))
    }

    @Test("with one slot, a change in it opens nothing")
    func everyByteOfTheSlot() throws {
        let text = try Rings.text()
        let lines = Rings.lines(text)
        let start = lines[0].utf8.count + lines[1].utf8.count + 2
        let end = start + lines[2].utf8.count + lines[3].utf8.count + 1
        for index in start..<end {
            for bit in UInt8(0)..<8 {
                var spoilt = text
                spoilt[index] ^= 1 << bit
                let code = try Rings.refusal(spoilt)
                let expected: Set<LockstepError.Code?> = [.slotNotOpened, .noUsableSlot, .keyringMalformed]
                #expect(expected.contains(code), "byte \(index), bit \(bit)")
            }
        }
    }

    @Test("no byte can be removed or inserted")
    func everyPlace() throws {
        let text = try Self.text(.database)
        for index in text.indices {
            var fewer = text
            let removed = fewer.remove(at: index)
            #expect(try Self.refusal(fewer) != nil, "without byte \(index)")
            for byte in [removed, 0x20, 0x0A, 0x41] {
                var more = text
                more.insert(byte, at: index)
                #expect(try Self.refusal(more) != nil, "\(byte) before byte \(index)")
            }
        }
    }

    @Test("no shorter text is read")
    func everyLength() throws {
        let text = try Self.text(.database)
        for count in 0..<text.count {
            #expect(try Self.refusal(Array(text.prefix(count))) == .keyringMalformed)
            #expect(try Self.refusal(Array(text.suffix(count))) != nil)
        }
    }

    @Test("a MAC of zeros, or another keyring's, is refused")
    func otherMAC() throws {
        var lines = Rings.lines(try Rings.text())
        let last = lines.count - 1
        lines[last] = "--- " + Base64.encode([UInt8](repeating: 0, count: 32))
        #expect(try Rings.refusal(lines) == .keyringTampered)
        lines[last] = try #require(Rings.lines(try Rings.text()).last)
        #expect(try Rings.refusal(lines) == .keyringTampered)
    }

    @Test("a slot from another keyring does not open, though its credential is the same") func foreignSlot() throws {
        var lines = Rings.lines(try Rings.text())
        let foreign = Rings.lines(try Rings.text())
        lines.replaceSubrange(2...3, with: foreign[2...3])
        #expect(try Rings.refusal(lines) == .slotNotOpened)
        lines[1] = foreign[1]
        #expect(try Rings.refusal(lines) == .keyringTampered)
    }

    @Test("a slot's header and body belong together")
    func exchangedBodies() throws {
        var ring = try Rings.make()
        try ring.addSlot("again", Rings.keyFile())
        var lines = Rings.lines(try ring.encode(epoch: 1))
        lines.swapAt(3, 5)
        #expect(try Rings.refusal(lines) == .slotNotOpened)
    }

    @Test("a slot that someone adds, removes or renames is noticed")
    func changedSlots() throws {
        var ring = try Rings.make()
        try ring.addSlot("again", Rings.keyFile())
        let lines = Rings.lines(try ring.encode(epoch: 1))
        var fewer = lines
        fewer.removeSubrange(4...5)
        #expect(try Rings.refusal(fewer) == .keyringTampered)
        var more = lines
        more.insert(contentsOf: ["-> later extra", "AAAA"], at: 6)
        #expect(try Rings.refusal(more) == .keyringTampered)
        var renamed = lines
        renamed[4] = lines[4].replacing("again", with: "other")
        #expect(try Rings.refusal(renamed) == .keyringTampered)
        renamed[2] = lines[2].replacing(" file ", with: " fila ")
        #expect(try Rings.refusal(renamed) == .slotNotOpened)
        renamed[4] = lines[4]
        #expect(try Rings.refusal(renamed) == .keyringTampered)
    }

    @Test("an older text with a newer epoch is noticed")
    func epoch() throws {
        var lines = Rings.lines(try Rings.text())
        lines[1] = lines[1].replacing("epoch 1", with: "epoch 2")
        #expect(try Rings.refusal(lines) == .keyringTampered)
    }
}
