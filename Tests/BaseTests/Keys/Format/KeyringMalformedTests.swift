import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Every keyring of ``MalformedKeyring`` is refused with its error, or opens.
struct KeyringMalformedTests {
    /// The parts of the format that this library knows. A keyring whose expectation depends on another part is
    /// skipped.
    private static let known: Set<String> = [
        "-", "command", "x25519", "signature", "plugin", "records", "remembered",
    ]

    /// Opens a keyring as it says, and unwraps every key, which is what its expectation is about.
    private static func outcome(_ one: MalformedKeyring) throws -> String {
        let code = try Refusal.code {
            let ring = try Keyring.open(one.text) { try credential(one.credential, $0) }
            for key in ring.summary.keys where key.state != .destroyed {
                _ = try ring.key(key.kind, version: key.version)
            }
        }
        return code?.rawValue ?? "opens"
    }

    /// A credential that fits a slot.
    private static func credential(
        _ kind: String, _ slot: SlotDescription
    ) throws -> Credential? {
        switch (kind, slot.kind) {
        case ("keyfile", .keyFile): try Rings.keyFile()
        case ("scrypt", .passphrase): try Rings.passphrase("a passphrase")
        case ("env", .environment("LOCKSTEP_RING")): try Rings.environment("LOCKSTEP_RING")
        case ("command", .command):
            try .command(output: Secrets.make([UInt8](repeating: 0xC3, count: 32)))
        case ("plugin", .plugin(let name, _)):
            .plugin(name, fileKey: try Secrets.make([UInt8](repeating: 0x3C, count: 16)))
        case ("x25519", .identity): try .identity(Identity(parsing: Secrets.make(Rings.identity)))
        default: nil
        }
    }

    @Test(
        "Each is refused as it says, and the sound ones open",
        arguments: MalformedKeyring.categories)
    func every(_ category: String) throws {
        let all = try MalformedKeyring.all(category)
        #expect(Set(all.map(\.name)).count == all.count)
        var tried = 0
        for one in all where Self.known.contains(one.since) {
            #expect(try Self.outcome(one) == one.expected, "\(category): \(one)")
            tried += 1
        }
        #expect(tried > 30)
    }

    @Test("No keyring and no file of them is left out")
    func complete() throws {
        let folder = PythonReader.folder.appending("Malformed").string
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(Set(files) == Set(MalformedKeyring.categories.map { "\($0).txt" }))
        let count = try MalformedKeyring.categories.reduce(0) {
            $0 + (try MalformedKeyring.all($1).count)
        }
        #expect(count >= 935)
    }

    @Test("Bytes that no text has are read from their escapes")
    func escapes() throws {
        let all = try MalformedKeyring.parse(
            """
            # A remark.

            = none keyring-malformed keyfile - nothing at all

            = bytes opens env since what it is
            |
            | \\x5c\\xff\\x20
            +\\x0d
            """)
        #expect(all.map(\.name) == ["none", "bytes"])
        #expect(all[0].text.isEmpty)
        #expect(all[1].text == [0x0A, 0x20, 0x5C, 0xFF, 0x20, 0x0A, 0x0D])
        #expect(all[1].expected == "opens" && all[1].credential == "env")
        #expect(all[1].since == "since" && all[1].what == "what it is")
    }

    @Test("A text of 262,144 bytes is read, and one byte more is not")
    func maximumLength() throws {
        let text = try Rings.text()
        let lines = Rings.lines(text)
        let holder = try RingKeyHolder(text)
        // A slot of an unknown type fills the file; its name makes up for lengths that base64 does not have.
        func filled(to count: Int) throws -> [UInt8] {
            for name in ["a", "ab", "abc", "abcd", "abcde"] {
                let header = "-> later \(name)"
                let room = count - text.count - header.utf8.count - 2
                guard room % 4 == 0 else { continue }
                let body = String(repeating: "A", count: room)
                return try holder.signed(
                    lines[..<4] + [header, body] + Array(lines[4...].dropLast()))
            }
            return []
        }
        let full = try filled(to: 262_144)
        #expect(full.count == 262_144)
        #expect(try Rings.refusal(full) == nil)
        let over = try filled(to: 262_145)
        #expect(over.count == 262_145)
        #expect(try Rings.refusal(over) == .keyringMalformed)
    }
}
