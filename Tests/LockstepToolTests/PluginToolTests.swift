import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// The tool and age plugins, using the plugin program of Tests/Harness/AgePlugin.
@Suite("The tool and age plugins", .enabled(if: Conversation.isPossible, "no python3")) struct PluginToolTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let bin = folder.file("bin")
        try FileManager.default.createDirectory(atPath: bin.string, withIntermediateDirectories: false)
        let script = Programs.package.appending("Tests/Harness/AgePlugin/age_plugin.py")
        try ProgramFile.write(
            String(decoding: Bytes.read(script), as: UTF8.self), to: bin.appending("age-plugin-lstest"))
    }

    static let transcripts = ["Plugins/keys"]

    @Test("Transcript", arguments: Transcript.chosen(of: transcripts))
    func transcript(name: String) async throws {
        let transcript = try Transcript(name)
        #expect(!transcript.steps.isEmpty)
        try await transcript.run(in: folder)
    }

    @Test("A plugin's questions are asked on the terminal, and a PIN is not shown")
    func questions() async throws {
        let made = try await Subprocess.run(
            .path(folder.file("bin/age-plugin-lstest")),
            arguments: ["--make", "000102030405060708090a0b0c0d0e0f", "questions"], output: .string(limit: 1000))
        let lines = made.standardOutput.split(separator: "\n").map(String.init)
        try #require(lines.count == 2)
        try folder.write("identity", lines[1] + "\n")
        let exchanges = [
            "plugin lstest: which colour?: ", "blue\n", "plugin lstest: which number?: ", "73910\n",
            "plugin lstest: on? (1 for “go on”, 2 for “stop”): ", "3\n", "“stop”): ", "2\n",
            "plugin lstest: good? (return for “fine”): ", "\n",
        ]
        try folder.write("k", [UInt8](repeating: 7, count: 32))
        func converse(_ exchanges: [String], _ arguments: [String]) async throws -> Conversation {
            try await Conversation.hold(in: folder, exchanges, arguments, path: "\(folder.file("bin")):/usr/bin:/bin")
        }
        let database = try await converse([], ["init", "--key-file", "k"])
        #expect(database.status == .exited(0), "\(database.shown)")
        let added = try await converse(
            exchanges, ["keys", "add-slot", "touch", "-d", "a.db", "--key-file", "k", "--recipient", lines[0]])
        #expect(added.status == .exited(0), "\(added.shown)")
        let opened = try await converse(exchanges, ["query", "SELECT 6 * 7 AS answer", "--identity", "identity"])
        #expect(opened.status == .exited(0), "\(opened.shown)")
        #expect(opened.shown.contains("42"))
        for shown in [added.shown, opened.shown] {
            #expect(shown.contains("notice: running the plugin \(folder.file("bin/age-plugin-lstest"))"))
            #expect(shown.contains("plugin lstest: hello\n"))
            // The plugin reports its input; the terminal showed nothing where it was typed.
            let typed = shown.split(separator: "which number?: ").last?.prefix { $0 != "o" }
            #expect(typed == "\nplugin lstest: ", "\(shown)")
            #expect(shown.contains("ok; ok blue; ok 73910; ok no; ok yes"))
        }
    }
}
