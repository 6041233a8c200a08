import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// The keyrings under Tests/IndependentReaders/KeyringReader/Malformed: each has one defect and is sound otherwise,
/// down to the MAC. make_malformed.py beside the folder makes them; they can test any reader of the format.
struct KeyringMalformedTests {
    private static let folder = PythonReader.folder.appending("Malformed")
    /// The parts of the format that this library knows. A row whose expectation depends on another part is
    /// skipped.
    private static let known: Set<String> = [
        "-", "command", "x25519", "signature", "plugin", "records",
    ]

    struct Row: Sendable, CustomStringConvertible {
        let path: FilePath
        let expected: String
        let credential: String
        let since: String
        let what: String

        var description: String { "\(path.lastComponent?.string ?? ""): \(what)" }
    }

    static func rows(_ group: String) throws -> [Row] {
        let folder = folder.appending(group)
        let index = try Bytes.read(folder.appending("index.tsv"))
        return try String(decoding: index, as: UTF8.self).split(separator: "\n").dropFirst().map {
            let columns = $0.split(separator: "\t").map(String.init)
            try #require(columns.count == 5, "\($0)")
            return Row(
                path: folder.appending(columns[0]), expected: columns[1], credential: columns[2],
                since: columns[3], what: columns[4])
        }
    }

    /// Opens a file as its row says, and unwraps every key, which is what the row's expectation is about.
    private static func outcome(_ row: Row) throws -> String {
        let text = try Bytes.read(row.path)
        let code = try Refusal.code {
            let ring = try Keyring.open(text) { try credential(row.credential, $0) }
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
        "Each is refused as its index says, and the sound ones open",
        arguments: ["bytes", "base64", "lines", "slots", "whole", "plugins", "records"])
    func every(_ group: String) throws {
        let rows = try Self.rows(group)
        let files = Set(rows.compactMap { $0.path.lastComponent?.string } + ["index.tsv"])
        let standing = try FileManager.default.contentsOfDirectory(
            atPath: Self.folder.appending(group).string)
        #expect(Set(standing) == files)
        #expect(files.count == rows.count + 1)
        var tried = 0
        for row in rows where Self.known.contains(row.since) {
            #expect(try Self.outcome(row) == row.expected, "\(row)")
            tried += 1
        }
        #expect(tried > 30)
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
