import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A damaged keyring whose only slot is a plugin's; the file key is the right one throughout.
struct PluginTamperTests {
    private let text: [UInt8]
    /// The places of the slot's two lines, their line feeds included.
    private let slot: Range<Int>

    init() throws {
        text = try MalformedKeyring.text("plugins", "sound-plugin")
        let lines = Rings.lines(text)
        let start = lines[0].utf8.count + lines[1].utf8.count + 2
        slot = start..<(start + lines[2].utf8.count + lines[3].utf8.count + 2)
    }

    private static func refusal(_ text: [UInt8]) throws -> LockstepError.Code? {
        try Refusal.code {
            _ = try Keyring.open(text) { slot in
                guard case .plugin(let name, _) = slot.kind else { return nil }
                return .plugin(
                    name, fileKey: try Secrets.make([UInt8](repeating: 0x3C, count: 16)))
            }
        }
    }

    private static let expected: Set<LockstepError.Code?> = [.slotNotOpened, .noUsableSlot, .keyringMalformed]

    @Test("Undamaged it opens, and is written again as the same text")
    func sound() throws {
        #expect(try Self.refusal(text) == nil)
        let parsed = try KeyringParser.parse(text)
        #expect(parsed.document.text(mac: parsed.mac) == text)
    }

    @Test("No bit of the slot can be changed")
    func everyBit() throws {
        for index in slot {
            for bit in UInt8(0)..<8 {
                var spoilt = text
                spoilt[index] ^= 1 << bit
                let code = try Self.refusal(spoilt)
                #expect(Self.expected.contains(code), "byte \(index), bit \(bit)")
            }
        }
    }

    @Test("No byte of the slot can be removed, inserted or replaced")
    func everyByte() throws {
        for index in slot {
            var fewer = text
            fewer.remove(at: index)
            #expect(try Self.expected.contains(Self.refusal(fewer)), "without byte \(index)")
            for byte in Array(" \n-A=/.>".utf8) {
                var more = text
                more.insert(byte, at: index)
                #expect(try Self.expected.contains(Self.refusal(more)), "\(byte) at \(index)")
                guard text[index] != byte else { continue }
                var other = text
                other[index] = byte
                #expect(try Self.expected.contains(Self.refusal(other)), "\(byte) as \(index)")
            }
        }
    }

    @Test("A file key of any other length is not the slot's secret", arguments: [0, 1, 15, 17, 32])
    func lengths(_ count: Int) throws {
        let document = try KeyringParser.parse(text).document
        let slot = try #require(document.slots.first)
        let credential = Credential.plugin(
            try PluginName("lstest"), fileKey: try Secrets.make([UInt8](repeating: 0x3C, count: count)))
        let opened = try slot.open(with: credential, ringID: document.ringID)
        let isOpen = opened != nil
        #expect(!isOpen)
    }
}
