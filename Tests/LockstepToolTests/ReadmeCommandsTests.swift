import Foundation
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

    /// The indented lines after a line of the README.
    private func commands(after heading: String) throws -> [String] {
        let bytes = try Bytes.read(Programs.package.appending("README.md"))
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .drop { $0 != heading }.drop { !$0.hasPrefix("    ") }
            .prefix { $0.hasPrefix("    ") }.map { String($0.dropFirst(4)) }
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
