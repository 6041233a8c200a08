import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What is remembered beside an identity file.
@Suite("The rings that an identity has opened")
struct KnownRingsTests {
    private let folder: TemporaryFolder
    private var known: KnownRings { KnownRings(of: folder.file("me")) }

    init() throws { folder = try TemporaryFolder() }

    private func make(_ name: String) throws -> Keyring {
        let file = KeyringFile(folder.path.appending("keys").appending(name))
        var keyring = try Keyring.create(.database)
        try keyring.addSlot("environment", Rings.environment("LOCKSTEP_RING"))
        try file.create(keyring)
        return try file.open { _ in try Rings.environment("LOCKSTEP_RING") }
    }

    @Test("A ring is known by its place, and new only once") func met() throws {
        let first = try make("a.keyring")
        let second = try make("b.keyring")
        #expect(try known.meet(first))
        #expect(try !known.meet(first))
        #expect(try known.meet(second))
        #expect(try !known.meet(first))
    }

    @Test("Another ring at a place is refused until somebody names it") func other() throws {
        let first = try make("a.keyring")
        try known.meet(first)
        KeyringFile(folder.path.appending("keys").appending("a.keyring")).removeUnused()
        let second = try make("a.keyring")
        let before = try Bytes.read(known.path)
        Refusal.expect(.otherRing) { try known.meet(second) }
        #expect(try Bytes.read(known.path) == before)
        #expect(try known.meet(second, isNamed: true))
        #expect(try !known.meet(second))
        Refusal.expect(.otherRing) { try known.meet(first) }
    }

    @Test("A ring is written as it is read, and nothing else is one") func spelled() throws {
        let keyring = try make("a.keyring")
        #expect(RingID("\(keyring.ring)") == keyring.ring)
        try keyring.require([keyring.ring])
        for text in ["", "ring-", "ring-00", "\(keyring.ring)0", "Ring-\("\(keyring.ring)".dropFirst(5))"] {
            #expect(RingID(text) == nil, "\(text)")
        }
        Refusal.expect(.otherRing) { try keyring.require([RingID(Array(repeating: 7, count: 16))]) }
    }
}
