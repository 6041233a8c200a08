import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Commands that add to a keyring's file while others change it: nothing of theirs is lost.
struct KeyringUpdateTests {
    private let folder: TemporaryFolder
    private let file: KeyringFile

    init() throws {
        folder = try TemporaryFolder()
        file = KeyringFile(folder.file("films.fields.keyring"))
        try file.create(Rings.make(.fields))
    }

    private func open() throws -> Keyring { try file.open { _ in try Rings.keyFile() } }

    private func remember(_ id: UInt8, _ ring: inout Keyring) throws {
        try file.update(&ring) { try $0.remember(Records.sealed(Records.id(id))) }
    }

    @Test("Two processes that remember different databases both succeed")
    func both() throws {
        var one = try open()
        var other = try open()
        try remember(1, &one)
        try remember(2, &other)
        try remember(3, &one)
        let read = try open()
        #expect(read.sealedMemory.records.map(\.database) == [1, 2, 3].map(Records.id))
        #expect(read.epoch == 4)
        #expect(one.sealedMemory == read.sealedMemory)
        #expect(one.epoch == 4)
    }

    @Test("What another process changed meanwhile stays: a slot, a key and its state")
    func others() throws {
        var one = try open()
        var other = try open()
        try other.addSlot("server", Rings.environment("KEY"))
        try other.addKey(.field, state: .pending)
        try other.setState(.field, version: 2, to: .active)
        try file.save(&other)
        try remember(1, &one)
        let read = try open()
        #expect(read.summary.slots.map(\.name) == ["file", "server"])
        #expect(try Rings.state(read, .field, 2) == .active)
        #expect(read.sealedMemory.records.count == 1)
        // The other one has not seen this, and does not overwrite it.
        try other.addSlot("third", Rings.environment("OTHER"))
        Refusal.expect(.keyringChanged) { try file.save(&other) }
        #expect(try open().sealedMemory.records.count == 1)
    }

    @Test("An older copy of the file is not overwritten, and the keyring in memory is as before") func older() throws {
        let old = try Bytes.read(file.path)
        var ring = try open()
        try remember(1, &ring)
        try Bytes.write(old, to: file.path)
        Refusal.expect(.keyringOutdated) { try remember(2, &ring) }
        #expect(try Bytes.read(file.path) == old)
        #expect(ring.sealedMemory.records.map(\.database) == [Records.id(1)])
        #expect(ring.epoch == 2)
    }

    @Test("A file whose ring was changed meanwhile is not overwritten, from either side") func otherRing() throws {
        var one = try open()
        var other = try open()
        try other.rotateRing()
        try other.addSlot("file", Rings.keyFile())
        Refusal.expect(.keyringChanged) { try remember(2, &other) }
        try file.save(&other)
        let before = try Bytes.read(file.path)
        Refusal.expect(.keyringChanged) { try remember(1, &one) }
        #expect(try Bytes.read(file.path) == before)
        try remember(2, &other)
        #expect(try open().sealedMemory.records.count == 1)
    }

    @Test("A file that was changed without the ring key is refused, and stays as it is") func forged() throws {
        var ring = try open()
        try remember(1, &ring)
        var lines = Rings.lines(try Bytes.read(file.path))
        let line = try #require(lines.firstIndex { $0.hasPrefix("sealed ") })
        lines[line] = lines[line].replacing("changes 1 ", with: "changes 2 ")
        try Bytes.write(Rings.joined(lines), to: file.path)
        Refusal.expect(.keyringTampered) { try remember(2, &ring) }
        #expect(try Bytes.read(file.path) == Rings.joined(lines))
    }

    @Test("An update that fails changes nothing, neither in the file nor in memory")
    func failed() throws {
        var ring = try open()
        let before = try Bytes.read(file.path)
        do {
            try file.update(&ring) { ring in
                try ring.remember(Records.sealed(Records.id(1)))
                throw Stop()
            }
            Issue.record("it went on")
        } catch is Stop {}
        #expect(try Bytes.read(file.path) == before)
        #expect(ring.sealedMemory.records.isEmpty)
        #expect(ring.epoch == 1)
        try remember(1, &ring)
        #expect(ring.epoch == 2)
    }

    @Test("A signed keyring is not updated")
    func signed() throws {
        let publisher = try open()
        let identity = try Identity.generate()
        let issued = KeyringFile(folder.file("customer.keyring"))
        try issued.create(publisher.issue(to: identity.recipient), signedBy: publisher)
        var ring = try issued.open { _ in try .identity(identity) }
        let before = try Bytes.read(issued.path)
        do {
            try issued.update(&ring) { try $0.remember(Records.sealed(Records.id(1))) }
            Issue.record("it was written")
        } catch let error as LockstepError {
            #expect(error.code == .keyringConflict)
        }
        #expect(try Bytes.read(issued.path) == before)
    }
}
