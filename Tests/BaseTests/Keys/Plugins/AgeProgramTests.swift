import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// `age`, if it is installed.
private enum AgeProgram {
    static let path: FilePath? = ["/usr/bin/age", "/usr/local/bin/age", "/opt/homebrew/bin/age"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }.map { FilePath($0) }
}

/// `age` itself, if it is installed, with the tests' plugin: this proves that the plugin is a valid one.
@Suite(
    .enabled(if: TestPlugin.isPossible, "\(TestPlugin.missing)"),
    .enabled(if: AgeProgram.path != nil, "age is not installed"))
struct AgeProgramTests {
    private let plugin: TestPlugin

    init() throws { plugin = try TestPlugin() }

    private func run(_ arguments: [String]) async throws -> (status: TerminationStatus, complaint: String) {
        let age = try #require(AgeProgram.path)
        let result = try await Subprocess.run(
            .path(age), arguments: Arguments(arguments),
            environment: .custom(["PATH": "\(plugin.folder.path):/usr/bin:/bin"]),
            workingDirectory: plugin.folder.path, output: .discarded, error: .string(limit: 10_000))
        return (result.terminationStatus, result.standardError)
    }

    private static let message = Array("a message of some length".utf8)

    @Test("age encrypts through the plugin, and decrypts with its identity and with no other")
    func roundTrip() async throws {
        try plugin.folder.write("plain", Self.message)
        try plugin.folder.write("identity", plugin.identityLine() + "\n")
        try plugin.folder.write("other", plugin.identityLine(seed: Array("another seed ...".utf8)) + "\n")
        let recipient = try plugin.recipient().description
        let sealed = try await run(["-r", recipient, "-o", "sealed.age", "plain"])
        #expect(sealed.status == .exited(0), "\(sealed.complaint)")
        let opened = try await run(["-d", "-i", "identity", "-o", "opened", "sealed.age"])
        #expect(opened.status == .exited(0), "\(opened.complaint)")
        #expect(try Bytes.read(plugin.folder.file("opened")) == Self.message)
        let refused = try await run(["-d", "-i", "other", "-o", "nothing", "sealed.age"])
        #expect(refused.status == .exited(1))
    }

    @Test("What age has the plugin wrap is unwrapped by this library")
    func fromAge() async throws {
        try plugin.folder.write("plain", Self.message)
        let recipient = try plugin.recipient().description
        let sealed = try await run(["-r", recipient, "-o", "sealed.age", "plain"])
        try #require(sealed.status == .exited(0), "\(sealed.complaint)")
        let bytes = try Bytes.read(plugin.folder.file("sealed.age"))
        let mark = try #require(Data(bytes).range(of: Data("\n---".utf8)))
        let lines = String(decoding: bytes[..<mark.lowerBound], as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let words = lines[1].split(separator: " ").map(String.init)
        let body = try #require(Base64.decode(lines[2...].joined()))
        let stanza = try #require(PluginStanza(type: words[1], arguments: Array(words[2...]), body: body))
        let unwrapped = try plugin.found().unwrap(stanza, with: plugin.identities())
        let unwrappedBytes = Secrets.bytes(ofOptional: unwrapped)
        let fileKey = try #require(unwrappedBytes)
        // The header's MAC is under the file key.
        let code = try AgeFormat.headerCode(
            Secrets.make(fileKey), Array(bytes[..<mark.upperBound]))
        let rest = String(decoding: bytes[mark.upperBound...].prefix(44), as: UTF8.self)
        #expect(rest == " " + Base64.encode(code))
    }

    @Test("What this library has the plugin wrap is decrypted by age")
    func toAge() async throws {
        let fileKey = try SecretBytes(random: AgeFormat.fileKeyLength)
        let stanza = try plugin.found().wrap(fileKey, for: plugin.recipient())
        var body = Base64.encode(stanza.body)
        body = body.count == 64 ? body + "\n" : body
        let words = ([stanza.type] + stanza.arguments).joined(separator: " ")
        let header = "\(AgeFormat.intro)\n-> \(words)\n\(body)\n---"
        let code = try AgeFormat.headerCode(fileKey, Array(header.utf8))
        let nonce = try Random.bytes(AgeFormat.nonceLength)
        let key = try AgeFormat.payloadKey(fileKey, nonce)
        let payload = try AEAD(.chaCha20Poly1305).seal(
            Self.message.span, key: key.bytes, nonce: AgeFormat.nonce(0, isLast: true).span, associatedData: Span())
        try plugin.folder.write("ours.age", Array("\(header) \(Base64.encode(code))\n".utf8) + nonce + payload)
        try plugin.folder.write("identity", plugin.identityLine() + "\n")
        let opened = try await run(["-d", "-i", "identity", "-o", "opened", "ours.age"])
        #expect(opened.status == .exited(0), "\(opened.complaint)")
        #expect(try Bytes.read(plugin.folder.file("opened")) == Self.message)
    }

    @Test("The identity without data is the one that age uses where a plugin is named alone")
    func withoutData() async throws {
        try plugin.folder.write("plain", Self.message)
        let recipient = try plugin.recipient(seed: Array("seed of no data.".utf8)).description
        let sealed = try await run(["-r", recipient, "-o", "sealed.age", "plain"])
        try #require(sealed.status == .exited(0), "\(sealed.complaint)")
        let identities = try PluginIdentities(withoutData: plugin.name)
        let line = TestPlugin.spelled(identities).joined()
        try plugin.folder.write("identity", line + "\n")
        for (number, way) in [["-j", "lstest"], ["-i", "identity"]].enumerated() {
            let opened = try await run(["-d"] + way + ["-o", "opened-\(number)", "sealed.age"])
            #expect(opened.status == .exited(0), "\(opened.complaint)")
        }
    }
}
