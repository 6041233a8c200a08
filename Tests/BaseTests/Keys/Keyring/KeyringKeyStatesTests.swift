import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What a program can do to a keyring's keys.
struct KeyringKeyStatesTests {
    private enum Change: CaseIterable {
        case activate, markCompromised, destroy

        func make(_ ring: inout Keyring, _ kind: KeyKind, _ version: UInt32) throws {
            switch self {
            case .activate: try ring.activateKey(kind, version: version)
            case .markCompromised: try ring.markCompromised(kind, version: version)
            case .destroy: try ring.destroyKey(kind, version: version)
            }
        }

        var state: KeyState {
            switch self {
            case .activate: .active
            case .markCompromised: .compromised
            case .destroy: .destroyed
            }
        }
    }

    /// A fields keyring whose key 1 of `kind` is in `state`; key 2 is active unless key 1 is.
    private static func ring(_ kind: KeyKind, _ state: KeyState) throws -> (Rings.Box, UInt32) {
        let box = Rings.Box(try Rings.make(kind == .database ? .database : .fields))
        let second = try box.ring.addKey(kind, state: .pending)
        switch state {
        case .active: return (box, 1)
        case .pending: return (box, second)
        case .retired, .compromised, .destroyed:
            try box.ring.setState(kind, version: second, to: .active)
            if state != .retired { try box.ring.setState(kind, version: 1, to: state) }
            return (box, 1)
        }
    }

    /// Written out, so that a mistake in the source is not taken for the rule.
    private static let allowed: [KeyState: Set<KeyState>] = [
        .pending: [.active, .compromised, .destroyed],
        .active: [],
        .retired: [.active, .compromised, .destroyed],
        .compromised: [.destroyed],
        .destroyed: [],
    ]

    @Test(
        "A key changes only as its state allows, keys in use stay, and the keyring can be written",
        arguments: KeyState.allCases, [KeyKind.field, .index, .manifest])
    func transitions(_ old: KeyState, _ kind: KeyKind) throws {
        for change in Change.allCases {
            let (box, version) = try Self.ring(kind, old)
            let before = box.ring.document
            let code = try Refusal.code { try change.make(&box.ring, kind, version) }
            if try #require(Self.allowed[old]).contains(change.state) {
                #expect(code == nil, "\(old) \(change)")
                #expect(try Rings.state(box.ring, kind, version) == change.state)
            } else {
                #expect(code == .keyringConflict, "\(old) \(change)")
                #expect(box.ring.document == before)
            }
            let opened = try Rings.open(box.ring.encode(epoch: 2))
            #expect(opened.summary.keys.count == 4)
        }
    }

    @Test("The keys of a database: only those that no rotation needs can be marked or destroyed")
    func database() throws {
        let allowed: [KeyState: Set<KeyState>] = [
            .pending: [], .active: [], .retired: [.compromised, .destroyed], .compromised: [.destroyed], .destroyed: [],
        ]
        for old in KeyState.allCases {
            for change in Change.allCases {
                let (box, version) = try Self.ring(.database, old)
                let before = box.ring.document
                let code = try Refusal.code { try change.make(&box.ring, .database, version) }
                let isAllowed = try #require(allowed[old]).contains(change.state)
                #expect(code == (isAllowed ? nil : .keyringConflict), "\(old) \(change)")
                if !isAllowed { #expect(box.ring.document == before) }
            }
        }
        var ring = try Rings.make()
        let error = try #require(throws: LockstepError.self) { try ring.createKey(.database) }
        #expect(error.code == .keyringConflict)
        #expect(error.hint?.contains("DatabaseKeyRotation") == true)
        #expect(ring.summary.keys.count == 1)
    }

    @Test("A pending database key, which the file can be under, cannot be destroyed by hand")
    func pendingRotation() throws {
        let (box, version) = try Self.ring(.database, .pending)
        let error = try #require(throws: LockstepError.self) {
            try box.ring.destroyKey(.database, version: version)
        }
        #expect(error.message.contains("an unfinished rotation"))
        #expect(try Rings.state(box.ring, .database, version) == .pending)
    }

    @Test("A new key is pending, has the next version, and material of its own")
    func creating() throws {
        var ring = try Rings.make(.fields)
        for expected: UInt32 in 2...4 {
            #expect(try ring.createKey(.field) == expected)
            #expect(try Rings.state(ring, .field, expected) == .pending)
        }
        let opened = try Rings.open(ring.encode(epoch: 1))
        let keys = try (1...4).map { Secrets.bytes(of: try opened.key(.field, version: $0)) }
        #expect(Set(keys).count == 4)
        #expect(try Rings.state(opened, .field, 1) == .active)
    }

    @Test("Activating reports which key was retired, and leaves the other kinds alone") func activating() throws {
        var ring = try Rings.make(.fields)
        let second = try ring.createKey(.index)
        #expect(try ring.activateKey(.index, version: second) == 1)
        #expect(try ring.activateKey(.index, version: 1) == second)
        #expect(try Rings.state(ring, .index, second) == .retired)
        #expect(try Rings.state(ring, .field, 1) == .active)
    }

    @Test("Another manifest key is another publisher; what the old one signed stays its own") func publisher() throws {
        var ring = try Rings.make(.fields)
        let before = try ring.publisher()
        try ring.activateKey(.manifest, version: ring.createKey(.manifest))
        #expect(try ring.publisher() != before)
        try ring.activateKey(.manifest, version: 1)
        #expect(try ring.publisher() == before)
    }

    @Test("A kind that the purpose does not have, and a missing key, are refused")
    func missing() throws {
        var fields = try Rings.make(.fields)
        Refusal.expect(.keyringMismatch) { _ = try fields.createKey(.database) }
        Refusal.expect(.keyringMismatch) { try fields.activateKey(.database, version: 1) }
        var database = try Rings.make()
        for kind in [KeyKind.field, .index, .manifest] {
            Refusal.expect(.keyringMismatch) { _ = try database.createKey(kind) }
            Refusal.expect(.keyUnavailable) { try database.destroyKey(kind, version: 1) }
        }
        for version: UInt32 in [0, 2, .max] {
            for change in Change.allCases {
                Refusal.expect(.keyUnavailable) { try change.make(&fields, .field, version) }
            }
        }
        #expect(fields.summary.keys.count == 3)
    }

    @Test("A full keyring takes no more keys")
    func full() throws {
        var ring = try Rings.make(.fields)
        while ring.document.keys.count < KeyringDocument.maximumKeys {
            _ = try ring.createKey(.field)
        }
        Refusal.expect(.keyringConflict) { _ = try ring.createKey(.field) }
        #expect(ring.document.keys.count == 1024)
    }

    @Test("A signed keyring is its publisher's to change", arguments: KeyringPurpose.allCases)
    func signed(_ purpose: KeyringPurpose) throws {
        let kind = purpose.kinds[0]
        var made = try Rings.make(purpose)
        try made.addKey(kind, state: .pending)
        try made.setState(kind, version: 2, to: .active)
        var ring = try Rings.open(made.encode(epoch: 1, signer: SigningKey(seed: SecretBytes(random: 32))))
        for change in Change.allCases {
            Refusal.expect(.keyringConflict) { try change.make(&ring, kind, 1) }
        }
        Refusal.expect(.keyringConflict) { _ = try ring.createKey(kind) }
        #expect(try Rings.state(ring, kind, 1) == .retired)
    }
}
