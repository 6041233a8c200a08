import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// What passphrase slots cost, as a program chooses it.
struct PassphraseCostTests {
    private static func powers(_ ring: borrowing Keyring) -> [Int] {
        ring.summary.slots.compactMap { slot in
            if case .passphrase(let logN) = slot.kind { logN } else { nil }
        }
    }

    @Test("Unless it is said otherwise it is the standard, and no less")
    func standard() throws {
        var ring = try Rings.make()
        try ring.addSlot("person", Rings.passphrase("a passphrase"))
        #expect(Self.powers(ring) == [17])
        #expect(try PassphraseCost.standard == .power(17))
    }

    @Test("A chosen power is in the slot, which opens", arguments: [16, 18])
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
        "Powers that are too cheap, or dearer than is read, are refused",
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

    @Test("What has no passphrase costs nothing, whatever is asked for")
    func others() throws {
        var ring = try Keyring.create(.database)
        try ring.addSlot("file", Rings.keyFile(), cost: .power(20))
        try ring.changeSlot("file", to: Rings.keyFile(), cost: .calibrated())
        #expect(ring.summary.slots.map(\.kind) == [.keyFile])
    }

    @Test("Slots that together would cost more than is read are not made")
    func ceiling() throws {
        var ring = try Rings.make()
        // Seven of 2^20 and some: slots like that are not worth the minutes that they take.
        for number in 1...64 {
            ring.document.slots.append(
                .init(
                    header: "-> scrypt p\(number) x 17 8 1", name: "p\(number)",
                    kind: .scrypt(salt: [], cost: .standard), body: []))
        }
        ring.document.slots.removeFirst(3)
        #expect(ring.document.costOfSlots() == 62 << 17)
        Refusal.expect(.keyringConflict) {
            try ring.addSlot("dear", Rings.passphrase("a passphrase"), cost: .power(19))
        }
        #expect(ring.document.slots.count == 62)
        try ring.addSlot("dear", Rings.passphrase("a passphrase"), cost: .power(18))
        #expect(ring.document.costOfSlots() == Scrypt.Cost.mostTogether)
        Refusal.expect(.keyringConflict) {
            try ring.addSlot("more", Rings.passphrase("a passphrase"))
        }
        // In the place of a slot there is what that one leaves.
        try ring.changeSlot("dear", to: Rings.passphrase("another"), cost: .power(18))
        Refusal.expect(.keyringConflict) {
            try ring.changeSlot("dear", to: Rings.passphrase("another"), cost: .power(19))
        }
        #expect(ring.document.costOfSlots(besides: "dear") == 62 << 17)
    }

    @Test("A slot's name is looked at before anything is measured")
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
