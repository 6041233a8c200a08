import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct KeyringStateTests {
    /// Written out once more, so that a mistake in the source is not taken for the rule.
    private static let allowed: [KeyState: Set<KeyState>] = [
        .pending: [.active, .destroyed, .compromised],
        .active: [.retired, .compromised],
        .retired: [.active, .destroyed, .compromised],
        .compromised: [.destroyed],
        .destroyed: [],
    ]

    /// A database keyring whose key 1 is in `state`; key 2 is active unless key 1 is.
    private static func ring(_ state: KeyState) throws -> Keyring {
        var ring = try Rings.make()
        try ring.addKey(.database, state: .pending)
        guard state != .active else { return ring }
        try ring.setState(.database, version: 2, to: .active)
        switch state {
        case .active, .retired: break
        case .destroyed, .compromised: try ring.setState(.database, version: 1, to: state)
        case .pending:
            // Only a key that was never active is pending: the third stands in for the first.
            try ring.addKey(.database, state: .pending)
        }
        return ring
    }

    @Test(
        "a key changes to the states that its own allows, and to no other",
        arguments: KeyState.allCases, KeyState.allCases)
    func transitions(_ old: KeyState, _ new: KeyState) throws {
        var ring = try Self.ring(old)
        let version: UInt32 = old == .pending ? 3 : 1
        #expect(try Rings.state(ring, .database, version) == old)
        let code = try Refusal.code { try ring.setState(.database, version: version, to: new) }
        if try #require(Self.allowed[old]).contains(new) {
            #expect(code == nil)
            #expect(try Rings.state(ring, .database, version) == new)
        } else {
            #expect(code == .keyringConflict)
            #expect(try Rings.state(ring, .database, version) == old)
        }
    }

    @Test("activating a key retires the one before, and both open as before")
    func activation() throws {
        var ring = try Rings.make()
        let first = Secrets.bytes(of: try ring.key(.database, version: 1))
        let version = try ring.addKey(.database, state: .pending)
        #expect(version == 2)
        let second = Secrets.bytes(of: try ring.key(.database, version: 2))
        #expect(first != second)
        let before = try Rings.databaseKey(ring)
        try ring.setState(.database, version: 2, to: .active)
        #expect(try Rings.state(ring, .database, 1) == .retired)
        #expect(try Rings.databaseKey(ring) != before)

        let opened = try Rings.open(try ring.encode(epoch: 2))
        #expect(Secrets.bytes(of: try opened.key(.database, version: 1)) == first)
        #expect(Secrets.bytes(of: try opened.key(.database, version: 2)) == second)
    }

    @Test("activating a key of one kind leaves the other kinds alone")
    func otherKinds() throws {
        var ring = try Rings.make(.fields)
        try ring.addKey(.field, state: .pending)
        try ring.setState(.field, version: 2, to: .active)
        #expect(try Rings.state(ring, .field, 1) == .retired)
        #expect(try Rings.state(ring, .index, 1) == .active)
        #expect(try Rings.state(ring, .manifest, 1) == .active)
        #expect(try Rings.open(try ring.encode(epoch: 1)).summary.keys.count == 4)
    }

    @Test("a destroyed key is gone from the file, and its error says so")
    func destroyed() throws {
        var ring = try Self.ring(.retired)
        let before = Rings.lines(try ring.encode(epoch: 1))
        let wrapped = try #require(before[4].split(separator: " ").last)
        let commitment = before[4].split(separator: " ")[5]
        try ring.setState(
            .database, version: 1, to: .destroyed, today: Rings.day("2026-10-11"))
        let text = try ring.encode(epoch: 2)
        #expect(!Bytes.contain(text, String(wrapped)))
        let line = "key database 1 destroyed 2026-10-11 \(commitment) -"
        #expect(Rings.lines(text)[4] == line)
        let opened = try Rings.open(text)
        do {
            _ = try opened.key(.database, version: 1)
            Issue.record("a destroyed key came back")
        } catch {
            #expect(error.code == .keyUnavailable)
            #expect(error.message.contains("destroyed on 2026-10-11"))
        }
    }

    @Test("a compromised key still opens what it closed")
    func compromised() throws {
        var ring = try Self.ring(.retired)
        let material = Secrets.bytes(of: try ring.key(.database, version: 1))
        try ring.setState(.database, version: 1, to: .compromised)
        let opened = try Rings.open(try ring.encode(epoch: 1))
        #expect(try Rings.state(opened, .database, 1) == .compromised)
        #expect(Secrets.bytes(of: try opened.key(.database, version: 1)) == material)
    }

    @Test("a change of state records its day, and touches no other key's line")
    func dates() throws {
        var ring = try Keyring.create(.database, today: Rings.day("2024-02-29"))
        try ring.addSlot("file", Rings.keyFile())
        try ring.addKey(.database, state: .pending, today: Rings.day("2025-12-31"))
        try ring.addKey(.database, state: .pending, today: Rings.day("2026-01-01"))
        let before = Rings.lines(try ring.encode(epoch: 1))
        try ring.setState(.database, version: 2, to: .active, today: Rings.day("2026-06-07"))
        let days = ring.summary.keys.map(\.since.description)
        #expect(days == ["2026-06-07", "2026-06-07", "2026-01-01"])
        #expect(Rings.lines(try ring.encode(epoch: 1))[6] == before[6])
    }

    @Test("a missing key is unavailable, to read and to change")
    func missing() throws {
        var ring = try Rings.make()
        for version: UInt32 in [0, 2, .max] {
            Refusal.expect(.keyUnavailable) { _ = try ring.key(.database, version: version) }
            Refusal.expect(.keyUnavailable) {
                try ring.setState(.database, version: version, to: .retired)
            }
        }
        Refusal.expect(.keyUnavailable) { _ = try ring.key(.field, version: 1) }
    }

    @Test(
        "a keyring without an active key, or with two, is not written",
        arguments: [
            KeyState.retired, .compromised, .active,
        ])
    func activeKeys(_ state: KeyState) throws {
        var ring = try Rings.make()
        if state == .active {
            try ring.addKey(.database, state: .active)
        } else {
            try ring.setState(.database, version: 1, to: state)
        }
        Refusal.expect(.keyringConflict) { _ = try ring.encode(epoch: 1) }
    }

    @Test("a keyring without slots, which nothing could open, is not written")
    func noSlots() throws {
        let ring = try Keyring.create(.database)
        Refusal.expect(.keyringConflict) { _ = try ring.encode(epoch: 1) }
    }
}
