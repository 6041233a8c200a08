import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// The tool's prompts on a terminal. Python's standard library provides the terminal.
@Suite(
    "Prompts",
    .enabled(if: Conversation.isPossible, "no python3"))
struct TerminalTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func converse(
        _ exchanges: [String], _ arguments: [String]
    ) async throws -> Conversation {
        try await Conversation.hold(in: folder, exchanges, arguments)
    }

    @Test("A new passphrase is requested twice, an old one once, and none of them is shown")
    func passphrases() async throws {
        let made = try await converse(["New passphrase: ", "correct horse\n", "again: ", "correct horse\n"], ["init"])
        #expect(made.status == .exited(0), "\(made.shown)")
        #expect(made.shown.contains("made the encrypted database a.db"))
        // After the second entry the tool reports that this one is weak, and accepts it all the same.
        #expect(
            made.shown.contains("again: \nhint: this passphrase is easy to guess: it is fewer"))
        let asked = try await converse(
            // Ctrl-U erases the line, backspace one character, however many bytes it has.
            ["Passphrase for a.db.keys/database.keyring: ", "no\u{15}correct horsö\u{7F}e\n"],
            ["query", "SELECT 7 * 6 AS answer"])
        #expect(asked.status == .exited(0), "\(asked.shown)")
        #expect(asked.shown.contains("42"))
        #expect(!(made.shown + asked.shown).contains("horse"))
        let wrong = try await converse(
            ["keyring: ", "battery staple\n"], ["query", "SELECT 1"])
        #expect(wrong.status == .exited(6))
        #expect(!wrong.shown.contains("staple"))
    }

    @Test(
        "The passphrase of a file to adopt is requested once, that of its new keyring twice",
        .enabled(if: SharedData.has("fixtures/INDEX.md"), "\(SharedData.missing)"),
        arguments: [
            ("grdb-db.SQLCipher3", "secret", 3),
            ("sqliteswift-encrypted-4.x.sqlite", "sqlcipher-test", 3),
        ])
    func adoption(fixture: String, passphrase: String, pages: Int) async throws {
        let original = try Bytes.read(SharedData.path("fixtures/\(fixture)"))
        try Bytes.write(original, to: folder.path.appending("old.db"))
        let wrong = try await converse(
            [
                " of old.db: ", "guess\n", "New passphrase: ", "horse\n", "again: ",
                "horse\n",
            ],
            ["adopt", "old.db"])
        #expect(wrong.status == .exited(6), "\(wrong.shown)")
        #expect(wrong.shown.contains("the passphrase does not fit old.db"))
        let adopted = try await converse(
            [
                " of old.db: ", "\(passphrase)\n", "New passphrase: ", "horse\n",
                "again: ", "horse\n",
            ], ["adopt", "old.db"])
        #expect(adopted.status == .exited(0), "\(adopted.shown)")
        #expect(adopted.shown.contains("adopted old.db into a.db: \(pages) pages, 1 table, 1 row"))
        #expect(adopted.shown.contains("old.db is unchanged"))
        #expect(!adopted.shown.contains("NOT encrypted") && !adopted.shown.contains(passphrase))
        #expect(try Bytes.read(folder.path.appending("old.db")) == original)
    }

    @Test("A strong passphrase is accepted without advice")
    func goodPassphrase() async throws {
        let words = "battery staple window train orbit"
        let made = try await converse(["New passphrase: ", "\(words)\n", "again: ", "\(words)\n"], ["init"])
        #expect(made.status == .exited(0), "\(made.shown)")
        #expect(!made.shown.contains("hint"), "\(made.shown)")
    }

    @Test("Two different answers, an empty one and Ctrl-C create nothing")
    func refusals() async throws {
        let differing = try await converse(
            ["New passphrase: ", "one two three\n", "again: ", "one two four\n"], ["init"])
        #expect(differing.status == .exited(64))
        #expect(differing.shown.contains("the two passphrases differ"))
        let empty = try await converse(["New passphrase: ", "\n"], ["init"])
        #expect(empty.status == .exited(64))
        let interrupted = try await converse(["New passphrase: ", "abc\u{3}"], ["init"])
        #expect(interrupted.shown.contains("no passphrase was given"))
        #expect(interrupted.status == .exited(1))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path.string).isEmpty)
    }

    @Test("On a terminal verify shows its progress, and removes it at the end")
    func progress() async throws {
        try folder.write("k", [UInt8](repeating: 7, count: 32))
        _ = try await converse([], ["init", "--key-file", "k"])
        let migrations = Programs.package.appending("Migrations/movies").string
        let shown = try await converse([], ["verify", "--key-file", "k", "-m", migrations, "--deep"]).shown
        let parts = shown.split(separator: "\r")
        #expect(parts.contains { $0.hasPrefix("verify: ") && $0.hasSuffix("\u{1B}[K") }, "\(shown)")
        #expect(parts.last?.hasPrefix("\u{1B}[Klibrary ") == true, "\(shown)")
        #expect(shown.hasSuffix("verified: everything holds\n"))
    }
}
