import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Remnants in memory of file keys, of what people have typed for a plugin, and of identities.
@Suite(
    .enabled(if: TestPlugin.isPossible, "\(TestPlugin.missing)"),
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/mem"), "there is no /proc"))
struct PluginMemoryTests {
    /// In a separate process: other tests hold secrets of their own, and would keep copies of their stacks.
    @Test("Nothing of them is found once the plugin has ended, as bytes or as base64") func afterwards() async throws {
        await #expect(processExitsWith: .success) {
            let plugin = try TestPlugin()
            try Self.makeIdentity(plugin)
            var masked: [String: MaskedSecret] = [:]
            try Self.use(plugin, &masked)
            try #require(masked.count == 5, "\(masked.keys.sorted())")
            for (name, secret) in masked {
                let places = try secret.places()
                try #require(places.isEmpty, "\(name): \(places)")
            }
        }
    }

    /// Writes an identity file whose content this process never has as text.
    private static func makeIdentity(_ plugin: TestPlugin) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c",
            """
            umask 077; seed=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')
            "$0" --make $seed >"$1/both"; sed -n 1p "$1/both" >"$1/recipient"; sed -n 2p "$1/both" >"$1/identity"
            """, plugin.folder.file("age-plugin-lstest").string, plugin.folder.path.string,
        ]
        try process.run()
        process.waitUntilExit()
    }

    private static func encoded(_ secret: borrowing SecretBytes) throws -> SecretBytes {
        var text = try SecretBytes(zeroed: Base64.length(of: secret.count))
        var characters = text.mutableBytes
        _ = Base64.encode(secret.bytes, into: &characters, at: 0)
        return text
    }

    private final class Typed: Sendable {
        let secret: SecretBytes
        init(_ secret: consuming SecretBytes) { self.secret = secret }
    }

    private static func use(
        _ plugin: TestPlugin, _ masked: inout [String: MaskedSecret]
    ) throws {
        let typed = try Typed(SecretBytes(random: 96))
        masked["typed"] = MaskedSecret(typed.secret)
        masked["typed, as base64"] = try MaskedSecret(encoded(typed.secret))
        let fileKey = try SecretBytes(random: Plugin.fileKeyLength)
        masked["file key"] = MaskedSecret(fileKey)
        masked["file key, as base64"] = try MaskedSecret(encoded(fileKey))
        // Control: the search finds what is there.
        try #require(try masked["file key"]?.places().isEmpty == false)

        var interaction = PluginInteraction()
        interaction.message = { _, _ in }
        interaction.requestSecret = { _, _ in try typed.secret.clone() }
        let found = try plugin.found(interaction)
        _ = try found.wrap(fileKey, for: plugin.recipient("long-secret"))

        let path = plugin.folder.file("identity")
        let file = try IdentityFile.read(path)
        let identities = try file.identities(of: plugin.name)
        guard let identities else { throw LockstepError(.identityMalformed, "not made") }
        let descriptor = try FileDescriptor.open(path, .readOnly)
        defer { try? descriptor.close() }
        let text = try SecretBytes(readingFrom: descriptor, path, limit: 8191)
        // The bytes before it are the same in each identity.
        masked["identity"] = MaskedSecret(text, from: 24)
        let line = String(decoding: try Bytes.read(plugin.folder.file("recipient")).dropLast(), as: UTF8.self)
        let stanza = try found.wrap(fileKey, for: PluginRecipient(line))
        let opened = try found.unwrap(stanza, with: identities)
        guard let opened, opened == fileKey else {
            throw LockstepError(.slotNotOpened, "the plugin gave another file key")
        }
    }
}
