import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// The commands of the README and of the first pages run as they are written, with the tool that is built beside the
/// tests.
@Suite("The README's commands")
struct ReadmeCommandsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["Migrations", "Sources"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.file(name).string, withDestinationPath: Programs.package.appending(name).string)
        }
    }

    /// The indented lines after a line of a document, up to the next line of text.
    private func commands(
        after heading: String, of document: String = "README.md"
    ) throws -> [String] {
        let bytes = try Bytes.read(Programs.package.appending(document))
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .drop { $0 != heading }.dropFirst()
            .drop { !$0.hasPrefix("    ") }.prefix { $0.hasPrefix("    ") }
            .map { String($0.dropFirst(4)) }
    }

    /// The name of an article of the library.
    private func article(_ name: String) -> String {
        "Sources/Lockstep/Lockstep.docc/Start/\(name).md"
    }

    private func run(_ commands: some Sequence<String>) async throws -> ToolShell.Result {
        try await ToolShell(home: folder.path).run((["set -e"] + commands).joined(separator: "\n"), in: folder.path)
    }

    @Test("The quick start makes, fills and verifies a database")
    func quickStart() async throws {
        let commands = try commands(after: "## Quick start")
        #expect(commands.first?.hasPrefix("make release ") == true && commands.count == 8)
        let result = try await run(commands.dropFirst())
        #expect(result.status == .exited(0), "\(result.errors)")
        #expect(result.text.contains("Breakfast at Tiffany's"))
    }

    @Test("A plaintext file becomes a protected one")
    func adoption() async throws {
        let plaintext = try await run([
            "lockstep keys create-key-file old.key",
            "lockstep init -d old.db --key-file old.key",
            "lockstep migrate -d old.db --key-file old.key --migrations Migrations/photos",
            "lockstep export app.sqlite -d old.db --key-file old.key --plaintext --i-understand",
        ])
        #expect(plaintext.status == .exited(0), "\(plaintext.errors)")
        let commands = try commands(
            after: "protected one:")
        #expect(commands.count == 2)
        let check = "lockstep verify -d app.db --key-file my.key --migrations Migrations/photos"
        let result = try await run(commands + [check])
        #expect(result.status == .exited(0), "\(result.errors)")
    }

    /// Makes the user's own file, in a folder without anything else.
    private func make(_ sql: String) async throws {
        // The migrations are the user's own.
        try FileManager.default.removeItem(atPath: folder.file("Migrations").string)
        let result = try await run(["sqlcipher app.sqlite \"\(sql)\""])
        #expect(result.status == .exited(0), "\(result.errors)")
    }

    @Test("A schema that no one has versioned becomes the first version of a set")
    func ownFile() async throws {
        try await make("CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO person VALUES (1, 'Ann')")
        let page = article("IHaveASQLiteFile")
        let result = try await run(
            commands(after: "## Three commands", of: page)
                + commands(
                    after:
                        "read. The third writes the schema as version 1 of a migration set, and records that the database has it. Then",
                    of: page)
                + commands(
                    after:
                        "proves that all of it holds, and the first change is a file of its own:",
                    of: page)
                + ["lockstep status -d app.db --key-file my.key --migrations Migrations/app"])
        #expect(result.text.contains("pending  2  add_notes"), "\(result.text)\n\(result.errors)")
    }

    @Test("A database that GRDB made becomes one with a set")
    func fromGRDB() async throws {
        try await make(
            """
            CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
            INSERT INTO grdb_migrations VALUES ('v1');
            CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL,
                joined DATETIME NOT NULL, token BLOB NOT NULL);
            INSERT INTO player (name, joined, token)
                VALUES ('Ann', '2026-11-23 02:13:20.123', zeroblob(16));
            """)
        let commands = try commands(after: "## A database that GRDB made", of: article("ComingFromGRDB"))
        #expect(commands.count == 3)
        let check = "lockstep verify -d app.db --key-file my.key --migrations Migrations/app"
        let result = try await run(commands + [check])
        #expect(result.status == .exited(0), "\(result.errors)")
    }
}
