import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What passphrase slots cost, as a program chooses it.
struct PassphraseCostTests {
    private static func powers(_ ring: borrowing Keyring) -> [Int] {
        ring.summary.slots.compactMap { slot in
            if case .passphrase(let logN) = slot.kind { logN } else { nil }
        }
    }

    @Test("The default is the standard cost, and no less")
    func standard() throws {
        var ring = try Rings.make()
        try ring.addSlot("person", Rings.passphrase("a passphrase"))
        #expect(Self.powers(ring) == [17])
        #expect(try PassphraseCost.standard == .power(17))
    }

    @Test("A chosen power is recorded in the slot, which opens", arguments: [16, 18])
    func chosen(_ power: Int) throws {
        var ring = try Rings.make()
        try ring.addSlot("person", Rings.passphrase("a passphrase"), cost: .power(power))
        #expect(Self.powers(ring) == [power])
        let opened = try Keyring.open(ring.encode(epoch: 1)) { slot in
            slot.kind == .passphrase(logN: power) ? try Rings.passphrase("a passphrase") : nil
        }
        #expect(opened.summary.slots.count == 2)
        try ring.changeSlot("person", to: Rings.passphrase("another"), cost: .power(16))
        #expect(Self.powers(ring) == [16])
    }

    @Test(
        "Powers that are too cheap, or more expensive than is accepted, are refused",
        arguments: [-1, 0, 15, 21, 64])
    func refused(_ power: Int) {
        Refusal.expect(.misuse) { _ = try PassphraseCost.power(power) }
    }

    @Test("A calibrated slot has the standard cost or more, and can be read")
    func calibrated() throws {
        var ring = try Rings.make()
        // No time at all: the standard.
        try ring.addSlot("one", Rings.passphrase("a passphrase"), cost: .calibrated(for: .zero))
        #expect(Self.powers(ring) == [17])
        try ring.changeSlot("one", to: Rings.passphrase("another"), cost: .calibrated(for: .zero))
        #expect(try Rings.open(ring.encode(epoch: 1)).summary.slots.count == 2)
    }

    @Test("A slot without a passphrase costs nothing, whatever is requested")
    func others() throws {
        var ring = try Keyring.create(.database)
        try ring.addSlot("file", Rings.keyFile(), cost: .power(20))
        try ring.changeSlot("file", to: Rings.keyFile(), cost: .calibrated())
        #expect(ring.summary.slots.map(\.kind) == [.keyFile])
    }

    @Test("Slots that together would cost more than one of 2^21 are not made")
    func ceiling() throws {
        #expect(Scrypt.Cost.maximumTogether == 1 << 21)
        var ring = try Rings.make()
        for number in 1...14 {
            ring.document.slots.append(
                .init(
                    header: "-> scrypt p\(number) x 17 8 1", name: "p\(number)",
                    kind: PassphraseSlot(salt: [], cost: .standard), body: []))
        }
        #expect(ring.document.costOfSlots() == 14 << 17)
        Refusal.expect(.keyringConflict) {
            try ring.addSlot("dear", Rings.passphrase("a passphrase"), cost: .power(19))
        }
        #expect(ring.document.slots.count == 15)
        try ring.addSlot("dear", Rings.passphrase("a passphrase"), cost: .power(18))
        #expect(ring.document.costOfSlots() == Scrypt.Cost.maximumTogether)
        Refusal.expect(.keyringConflict) {
            try ring.addSlot("more", Rings.passphrase("a passphrase"), cost: .power(16))
        }
        // The replacement of a slot can use the cost that the old one frees.
        try ring.changeSlot("dear", to: Rings.passphrase("another"), cost: .power(18))
        Refusal.expect(.keyringConflict) {
            try ring.changeSlot("dear", to: Rings.passphrase("another"), cost: .power(19))
        }
        #expect(ring.document.costOfSlots(besides: "dear") == 14 << 17)
    }

    @Test(
        "One opening spends no more than the ceiling on passphrases, and other slots still open"
    )
    func spending() throws {
        var ring = try Keyring.create(.database)
        for name in ["one", "two", "three"] {
            try ring.addSlot(name, Rings.passphrase(name), cost: Rings.cheap)
        }
        try ring.addSlot("file", Rings.keyFile())
        let text = try ring.encode(epoch: 1)
        let two = 2 * Rings.cheap.n
        func open(_ passphrase: String, within most: Int) throws -> LockstepError? {
            do {
                _ = try Keyring.open(text, maximum: most) { slot in
                    slot.kind == .keyFile ? nil : try Rings.passphrase(passphrase)
                }
                return nil
            } catch let error as LockstepError {
                return error
            }
        }
        #expect(try open("two", within: two) == nil)
        let error = try #require(try open("three", within: two))
        #expect(error.code == .slotNotOpened && error.message.contains("not all of its passphrase slots"))
        #expect(try open("three", within: two + Rings.cheap.n) == nil)
        // A program that chooses the slot, or a key file, opens it.
        _ = try Keyring.open(text, maximum: two) { slot in
            slot.name == "three" ? try Rings.passphrase("three") : nil
        }
        _ = try Keyring.open(text, maximum: two) { slot in
            slot.kind == .keyFile ? try Rings.keyFile() : try Rings.passphrase("nothing")
        }
    }

    @Test(
        "Keyrings of older versions with up to 64 standard slots are read, and with more they are not"
    )
    func olderKeyrings() throws {
        func text(_ logN: Int) throws -> [UInt8] {
            var ring = try Rings.make()
            try ring.addSlot("p0", Rings.passphrase("p"), cost: Rings.cheap)
            let made = ring.document.slots[1]
            ring.document.slots.removeLast()
            for number in 0..<63 {
                let header = made.header.replacing(" p0 ", with: " p\(number) ")
                    .replacing(" 14 8 1", with: " \(number == 0 ? logN : 17) 8 1")
                ring.document.slots.append(.init(header: header, name: "p\(number)", kind: made.kind, body: made.body))
            }
            return try ring.encode(epoch: 1)
        }
        #expect(try Rings.open(text(18)).summary.slots.count == 64)
        Refusal.expect(.keyringUnsupported) { _ = try Rings.open(text(19)) }
    }

    @Test("A slot's name is checked before anything is measured")
    func names() throws {
        var ring = try Rings.make()
        Refusal.expect(.keyringConflict) {
            try ring.addSlot("file", Rings.passphrase("a passphrase"), cost: .calibrated())
        }
        Refusal.expect(.keyringConflict) {
            try ring.changeSlot("none", to: Rings.passphrase("a passphrase"), cost: .calibrated())
        }
    }

    @Test("A container's limit is a number, or there is none")
    func container() throws {
        let folder = try TemporaryFolder()
        #expect(try SystemMemory.containerLimit(folder.write("number", "536870912\n")) == 512 << 20)
        #expect(try SystemMemory.containerLimit(folder.write("max", "max\n")) == nil)
        #expect(try SystemMemory.containerLimit(folder.write("empty", "")) == nil)
        #expect(SystemMemory.containerLimit(folder.file("nothing")) == nil)
        #expect(try #require(SystemMemory.bytes) > 64 << 20)
    }
}
