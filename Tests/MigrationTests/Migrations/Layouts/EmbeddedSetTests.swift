import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What the EmbedMigrations plugin compiles into a program, beside the folder that it reads.
@Suite("Embedded sets")
struct EmbeddedSetTests {
    /// Files that the layout's tool needs besides SQL, and others that it ignores.
    private static let folders: [MigrationLayout: [String: String]] = [
        .native: [
            "0001_a.sql": "-- lockstep: up\nCREATE TABLE a (x);\n", "README.md": "About a.",
            "old/0002_b.sql": "nonsense",
        ],
        .flyway: [
            "V1__a.SQL": "CREATE TABLE a (x DEFAULT '${x}');\r\n",
            "V1__a.SQL.CONF": "placeholderReplacement=false\n",
            "U1__a.sql": "DROP TABLE a;", "U1__a.sql.conf": "executeInTransaction=false",
            "later/V2__\u{E4}\u{1}.sql": "INSERT INTO a VALUES ('\u{E4}\u{1}\\');\nVACUUM;",
            "later/V2__\u{E4}\u{1}.sql.Conf": "executeInTransaction=false\n",
            "R__view.sql": "CREATE VIEW b AS SELECT x FROM a;", "run.sh": "exit 1", "V3__c.java": "class V3__c {}",
        ],
        .diesel: [
            "2024-01-31-120000_a/up.sql": "VACUUM;", "2024-01-31-120000_a/metadata.toml": "run_in_transaction = false",
            "2024-01-31-120000_a/notes/more/up.sql": "nonsense", "2024-02-01-120000_empty/deeper/down.sql": "nonsense",
        ],
        .goose: [
            "00001_a.sql": "-- +goose Up\nCREATE TABLE a (x);\n", "00002_b.go": "package b", "help.go": "package b",
        ],
        .refinery: ["V1__a.sql": "CREATE TABLE a (x);", "deep/er/V2__b.rs": "fn b() {}"],
    ]

    /// The files that the plugin's program embeds of a set.
    private func embedded(_ folder: LayoutFolder) async throws -> [(name: String, content: String)] {
        let source = folder.temporary.file("Embedded.swift")
        let result = try await run(
            .path(Programs.path("EmbedMigrationsGenerator")),
            arguments: [folder.path.removingLastComponent().string, source.string],
            output: .discarded, error: .string(limit: 10_000))
        try #require(result.terminationStatus == .exited(0), "\(result.standardError)")
        let text = String(decoding: try Bytes.read(source), as: UTF8.self)
        var literals: [String] = []
        for line in text.split(separator: "\n") {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("(name: \"") { literals.append(Self.value(line.dropFirst(7))) }
            if line.hasSuffix("\"),") { literals.append(Self.value(line)) }
        }
        return stride(from: 0, to: literals.count, by: 2).map {
            (name: literals[$0], content: literals[$0 + 1])
        }
    }

    /// The value of the string literal at the beginning of `text`.
    private static func value(_ text: Substring) -> String {
        var value = ""
        var rest = text.dropFirst()
        while let character = rest.popFirst(), character != "\"" {
            guard character == "\\", let escape = rest.popFirst() else {
                value.append(character)
                continue
            }
            switch escape {
            case "n": value.unicodeScalars.append("\n")
            case "r": value.unicodeScalars.append("\r")
            case "t": value.unicodeScalars.append("\t")
            case "u":
                let digits = rest.dropFirst().prefix { $0 != "}" }
                rest = rest.dropFirst(digits.count + 2)
                let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
                value.unicodeScalars.append(scalar ?? "\u{FFFD}")
            default: value.append(escape)
            }
        }
        return value
    }

    @Test("An embedded set is the set of its folder", arguments: Array(folders.keys))
    func same(_ layout: MigrationLayout) async throws {
        let folder = try LayoutFolder(try #require(Self.folders[layout]))
        // A picture and a long file, which no layout reads.
        try folder.write("schema.png", [0x89, 0x50, 0x4E, 0x47, 0x00, 0xFF])
        try folder.write("data.csv", [UInt8](repeating: 0x31, count: 70_000))
        let files = try await embedded(folder)
        for known in [nil, layout] {
            let set = try folder.set(known)
            #expect(set.layout == layout)
            #expect(try MigrationSet(name: "set", layout: known, files: files) == set)
        }
    }

    @Test("Each set has a property; one that would have the name of another has none") func properties() async throws {
        let temporary = try TemporaryFolder()
        for name in ["films", "2024", "class", "names", "old-films", "oldfilms", "a-b", "a--b"] {
            let folder = temporary.file("Migrations").appending(name)
            try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
            try Bytes.write(Array("-- lockstep: up\nCREATE TABLE a (x);\n".utf8), to: folder.appending("0001_a.sql"))
        }
        let source = temporary.file("Embedded.swift")
        let result = try await run(
            .path(Programs.path("EmbedMigrationsGenerator")),
            arguments: [temporary.file("Migrations").string, source.string],
            output: .discarded, error: .string(limit: 10_000))
        try #require(result.terminationStatus == .exited(0), "\(result.standardError)")
        let text = String(decoding: try Bytes.read(source), as: UTF8.self)
        let found = text.split(separator: "\n").compactMap { line in
            line.hasPrefix("    static var ") ? line.dropFirst(15).prefix { $0 != ":" } : nil
        }
        #expect(found.sorted() == ["_2024", "`class`", "aB", "films", "oldFilms", "oldfilms"])
    }

    @Test(
        "A name that no set can have is refused, with or without a line of Swift in it",
        arguments: ["Films", "caf\u{E9}", "a b", "a\n static let key = 1\n ", String(repeating: "a", count: 33)])
    func names(_ name: String) async throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.file("Migrations").appending(name)
        try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
        try Bytes.write(Array("-- lockstep: up\nCREATE TABLE a (x);\n".utf8), to: folder.appending("0001_a.sql"))
        let source = temporary.file("Embedded.swift")
        let result = try await run(
            .path(Programs.path("EmbedMigrationsGenerator")),
            arguments: [temporary.file("Migrations").string, source.string],
            output: .discarded, error: .string(limit: 10_000))
        #expect(result.terminationStatus == .exited(1))
        #expect(result.standardError.hasSuffix("rename it to 1 to 32 of the characters a-z, 0-9 and -\n"))
        #expect(result.standardError.split(separator: "\n").count == 1)
        #expect(!FileManager.default.fileExists(atPath: source.string))
        Refusal.expect(.migrationMalformed) { _ = try MigrationSet(name: name, files: [("0001_a.sql", "")]) }
    }

    /// The control: these files are not there by chance.
    @Test("Without its settings the set would be another one")
    func settings() async throws {
        let files = try await embedded(LayoutFolder(try #require(Self.folders[.flyway])))
        for name in ["V1__a.SQL.CONF", "later/V2__\u{E4}\u{1}.sql.Conf"] {
            let others = files.filter { $0.name != name }
            #expect(others.count == files.count - 1)
            let set = try? MigrationSet(name: "set", layout: .flyway, files: others)
            #expect(try set != MigrationSet(name: "set", layout: .flyway, files: files))
        }
    }

    @Test("Settings that are not text are refused, as they are in the folder")
    func noText() async throws {
        let folder = try LayoutFolder(["V1__a.sql": "CREATE TABLE a (x);"])
        try folder.write("V1__a.sql.conf", Array("\u{FEFF}x=y".utf16).flatMap(\.bigEndianBytes))
        Refusal.expect(.migrationMalformed) { _ = try folder.set() }
        let files = try await embedded(folder)
        Refusal.expect(.migrationMalformed) { _ = try MigrationSet(name: "set", files: files) }
    }
}
