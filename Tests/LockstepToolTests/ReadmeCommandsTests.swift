import Foundation
import Lockstep
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// The README's commands run as they are written, with the tool that is built beside the tests.
@Suite("The README's commands")
struct ReadmeCommandsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["Migrations", "Sources"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.file(name).string,
                withDestinationPath: Programs.package.appending(name).string)
        }
    }

    /// The README's lines after one of them.
    private func lines(after heading: String) throws -> ArraySlice<Substring> {
        let bytes = try Bytes.read(Programs.package.appending("README.md"))
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .drop { $0 != heading }.dropFirst()
    }

    /// The indented lines after a line of the README.
    private func commands(after heading: String) throws -> [String] {
        try lines(after: heading).drop { !$0.hasPrefix("    ") }
            .prefix { $0.hasPrefix("    ") }.map { String($0.dropFirst(4)) }
    }

    /// The fenced lines after a line of the README.
    private func block(after heading: String) throws -> [String] {
        try lines(after: heading).drop { !$0.hasPrefix("```") }.dropFirst()
            .prefix { $0 != "```" }.map(String.init)
    }

    private func run(_ commands: some Sequence<String>) async throws -> ToolShell.Result {
        try await ToolShell(home: folder.path).run(
            (["set -e"] + commands).joined(separator: "\n"), in: folder.path)
    }

    @Test("The quick start makes, fills and verifies a database")
    func quickStart() async throws {
        let commands = try commands(after: "## Quick start")
        #expect(commands.first?.hasPrefix("make release ") == true && commands.count == 8)
        let result = try await run(commands.dropFirst())
        #expect(result.status == .exited(0), "\(result.errors)")
        #expect(result.text.contains("Breakfast at Tiffany's"))
        let printed = try block(after: "It prints:")
        for _ in 1...2 { #expect(try await films().map { "\($0.year) \($0.title)" } == printed) }
    }

    /// The program at the top of the README, on the quick start's files.
    private func films() async throws -> [(title: String, year: Int)] {
        // sample: README.md
        let keyring = try KeyringFile.database(beside: folder.file("films.db")).open { _ in
            try KeyFile.read(folder.file("my.key"))
        }
        let fieldsFile = try KeyringFile.fields(of: "movies", beside: folder.file("films.db"))
        let fields = try fieldsFile.open { _ in try KeyFile.read(folder.file("my.key")) }
        var options = StoreOptions()
        options.connection.fieldKeys = [try fields.fieldKeys(named: "movies")]
        let store = try Store.open(
            folder.file("films.db"), key: keyring.databaseKey(for: folder.file("films.db")),
            options: options)

        try await store.write { db in
            try db.execute(
                "UPDATE movies_open SET title = ? WHERE title = ?", "Stalker", "Сталкер")
        }
        let films = try await store.read { db in
            try db.query(
                "SELECT title, year FROM movies_open WHERE year BETWEEN ? AND ? ORDER BY year",
                1976, 1989
            ) { row in
                (title: try row[0] as String, year: try row[1] as Int)
            }
        }
        for film in films { print(film.year, film.title) }
        // end
        return films
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
            after: "To turn a plaintext SQLite file of your own into a protected one:")
        #expect(commands.count == 2)
        let check = "lockstep verify -d app.db --key-file my.key --migrations Migrations/photos"
        let result = try await run(commands + [check])
        #expect(result.status == .exited(0), "\(result.errors)")
    }
}
