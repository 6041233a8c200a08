import TestSupport
import Testing

@testable import Lockstep

/// Keyrings, their texts and their credentials, for tests.
enum Rings {
    /// The cheapest scrypt that is accepted at all.
    static let cheap = Scrypt.Cost(logN: 14, r: 8, p: 1)

    /// The identity of age's published test vectors.
    static let identity = "AGE-SECRET-KEY-1XMWWC06LY3EE5RYTXM9MFLAZ2U56JJJ36S0MYPDRWSVLUL66MV4QX3S7F6"

    /// A keyring that can be handed around.
    final class Box {
        var ring: Keyring
        init(_ ring: consuming Keyring) { self.ring = ring }
    }

    static func keyFile(_ fill: UInt8 = 0xA5) throws -> Credential {
        try .keyFile(Secrets.make([UInt8](repeating: fill, count: 32)))
    }

    static func environment(_ variable: String, _ fill: UInt8 = 0x5A) throws -> Credential {
        try .environment(
            variable: variable, Secrets.make([UInt8](repeating: fill, count: 32)))
    }

    static func passphrase(_ text: String) throws -> Credential {
        .passphrase(try Passphrase(Secrets.make(text)))
    }

    static func day(_ text: String) throws -> CalendarDay { try #require(CalendarDay(text)) }

    /// A new keyring that one key file opens.
    static func make(
        _ purpose: KeyringPurpose = .database, subject: [UInt8]? = nil, fill: UInt8 = 0xA5
    ) throws -> Keyring {
        var ring = try Keyring.create(purpose, subject: subject)
        try ring.addSlot("file", keyFile(fill))
        return ring
    }

    /// The text of ``make(_:subject:fill:)``'s keyring.
    static func text(
        _ purpose: KeyringPurpose = .database, fill: UInt8 = 0xA5
    ) throws -> [UInt8] {
        let ring = try make(purpose, fill: fill)
        return try ring.encode(epoch: 1)
    }

    /// Opens with the key file of ``make(_:subject:fill:)``, skipping slots of other kinds.
    static func open(_ text: [UInt8], fill: UInt8 = 0xA5) throws -> Keyring {
        try Keyring.open(text) { slot in slot.kind == .keyFile ? try keyFile(fill) : nil }
    }

    /// The error with which opening is refused; nil if it is not.
    static func refusal(_ text: [UInt8]) throws -> LockstepError.Code? {
        try Refusal.code { _ = try open(text) }
    }

    static func refusal(_ lines: [String]) throws -> LockstepError.Code? {
        try refusal(joined(lines))
    }

    static func lines(_ text: [UInt8]) -> [String] {
        String(decoding: text.dropLast(), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    static func joined(_ lines: [String]) -> [UInt8] {
        Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    static func databaseKey(_ ring: borrowing Keyring) throws -> [UInt8] {
        Secrets.bytes(of: try ring.activeDatabaseKey().secret)
    }

    static func state(
        _ ring: borrowing Keyring, _ kind: KeyKind, _ version: UInt32
    ) throws -> KeyState {
        try #require(ring.summary.keys.first { $0.kind == kind && $0.version == version }).state
    }

    /// The lines of a keyring whose key was rotated once: 0 magic, 1 ring, 2–3 slot, 4 key 1 (retired), 5 key 2
    /// (active), 6 MAC.
    static func rotatedLines() throws -> [String] {
        var ring = try make()
        try ring.addKey(.database, state: .pending)
        try ring.setState(.database, version: 2, to: .active)
        return lines(try ring.encode(epoch: 5))
    }
}
