import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Names, recipients and identities of plugins, as text.
struct PluginTextTests {
    @Test(
        "A name is lower-case letters, digits and + - . _",
        arguments: [
            "a", "yubikey", "fido2-hmac", "a.b_c+d-1", "1", String(repeating: "x", count: 64),
        ])
    func names(_ text: String) throws {
        #expect(try PluginName(text).description == text)
        #expect(try PluginName(text).program == "age-plugin-\(text)")
    }

    @Test(
        "A name that could leave its folder, hide or be spelled in two ways is refused",
        arguments: [
            "", ".", "..", ".hidden", "a/b", "../a", "/bin/sh", "a\\b", "A", "Yubikey", "a b",
            "a\n", "a\0",
            "ä", "a:b", "a;b", "$HOME", "`id`", String(repeating: "x", count: 65),
        ])
    func notNames(_ text: String) {
        Refusal.expect(.misuse) { _ = try PluginName(text) }
    }

    @Test("A recipient names its plugin", arguments: ["lstest", "fido2-hmac", "a.b_c+d-1", "1"])
    func recipients(_ name: String) throws {
        for count in [0, 1, 33, 1184, 2000] {
            let data = [UInt8](repeating: 7, count: count)
            let text = try TestPlugin.spelled("age1\(name)", data)
            let recipient = try PluginRecipient(text)
            #expect(recipient.plugin.description == name)
            #expect(recipient.description == text)
            #expect(try SlotRecipient(text) == .plugin(recipient))
            // Outside of slots, only age's own recipients are accepted.
            Refusal.expect(.recipientMalformed) { _ = try Recipient(text) }
        }
    }

    @Test("A recipient that is damaged, too long or of age's own types is refused") func notRecipients() throws {
        let good = try TestPlugin.spelled("age1lstest", TestPlugin.seed)
        let identity = try Identity(parsing: Secrets.make(Rings.identity))
        let plain = identity.recipient.description
        var texts = [
            "", "age1", "age11", "age1lstest1", String(good.dropLast()), good.uppercased(),
            good + " ",
            "age2" + good.dropFirst(4), plain,
            good.replacing("lstest", with: "lstesu"), good.replacing("lstest", with: "Lstest"),
        ]
        for name in ["../a", ".a", "a/b", "pq", "tag", "tagpq"] {
            texts.append(try TestPlugin.spelled("age1\(name)", TestPlugin.seed))
        }
        texts.append(try TestPlugin.spelled("age1a", [UInt8](repeating: 0, count: 2600)))
        for text in texts {
            Refusal.expect(.recipientMalformed) { _ = try PluginRecipient(text) }
        }
        #expect(try SlotRecipient(plain) == .identity(Recipient(plain)))
    }

    @Test("A file can hold one of age's keys, identities of plugins, or both")
    func identityFiles() throws {
        let plugin = try TestPlugin()
        let line = try plugin.identityLine()
        let other = try TestPlugin.spelled("age-plugin-other-", [1, 2, 3]).uppercased()
        let text = "# mine\n\n\(line)\r\n  \(Rings.identity)\n\(other)\n\(line)\n"
        let file = try IdentityFile(parsing: Secrets.make(text))
        #expect(Set(file.plugins.map(\.description)) == ["lstest", "other"])
        let key = try Self.recipient(file)
        #expect(try key == Identity(parsing: Secrets.make(Rings.identity)).recipient.description)
        var spelled: [String] = []
        if let identities = try file.identities(of: plugin.name) {
            spelled = TestPlugin.spelled(identities)
        }
        #expect(spelled == [line, line])
        let third = try file.identities(of: PluginName("third"))
        let hasThird = third != nil
        #expect(!hasThird)
        let alone = try IdentityFile(parsing: Secrets.make(other))
        #expect(try Self.recipient(alone) == nil)
        // The file of one key is read as before.
        let only = try IdentityFile(parsing: Secrets.make(Rings.identity))
        #expect(only.plugins.isEmpty)
    }

    private static func recipient(_ file: borrowing IdentityFile) throws -> String? {
        if let identity = try file.identity() { return identity.recipient.description }
        return nil
    }

    @Test("A file without an identity, with a damaged one or with too many is refused") func notIdentityFiles() throws {
        let plugin = try TestPlugin()
        let line = try plugin.identityLine()
        let foreign = try TestPlugin.spelled("age-plugin-../a-", [1]).uppercased()
        let hidden = try TestPlugin.spelled("age-plugin-.a-", [1]).uppercased()
        let nameless = try TestPlugin.spelled("age-plugin--", [1]).uppercased()
        for text in [
            "", "# nothing\n", line.lowercased(), String(line.dropLast()), line + "Q", foreign,
            hidden,
            nameless, "AGE-PLUGIN-", "AGE-PLUGIN-1", "AGE-PLUGIN-X1QQQ",
            line.replacing("LSTEST", with: "Lstest"),
            line.replacing("LSTEST", with: "LSTESU"),
            "\(Rings.identity)\n\(Rings.identity)", "\(line)\nhello",
            Array(repeating: line, count: 17).joined(separator: "\n"),
        ] {
            Refusal.expect(.identityMalformed) {
                _ = try IdentityFile(parsing: Secrets.make(text))
            }
        }
        Refusal.expect(.identityMalformed) { _ = try Identity(parsing: Secrets.make(line)) }
    }

    @Test("An identity file is its owner's, and at most 8191 bytes long")
    func files() throws {
        let folder = try TemporaryFolder()
        let line = try TestPlugin().identityLine()
        let good = try folder.write("good", line)
        #expect(try IdentityFile.read(good).plugins.count == 1)
        let full = line + "\n#" + String(repeating: "x", count: 8191 - line.utf8.count - 2)
        #expect(try IdentityFile.read(folder.write("full", full)).plugins.count == 1)
        Refusal.expect(.tooLarge) {
            _ = try IdentityFile.read(folder.write("over", full + "x"))
        }
        try Bytes.write(Array(line.utf8), to: folder.file("open"), mode: 0o640)
        Refusal.expect(.permissionsTooOpen) { _ = try IdentityFile.read(folder.file("open")) }
    }

    @Test("The identity without data is spelled as in age")
    func dataless() throws {
        let identities = try PluginIdentities(withoutData: PluginName("yubikey"))
        let text = TestPlugin.spelled(identities).joined()
        #expect(text.hasPrefix("AGE-PLUGIN-YUBIKEY-1"))
        #expect(text.count == "AGE-PLUGIN-YUBIKEY-1".count + 6)
        let file = try IdentityFile(parsing: Secrets.make(text))
        #expect(file.plugins.map(\.description) == ["yubikey"])
    }

    @Test("Base64 in secure memory is the same as in ordinary memory")
    func base64() throws {
        var random = SplitMix64(stream: 71)
        for count in 0..<130 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = Base64.encode(bytes)
            var encoded = try SecretBytes(zeroed: Base64.length(of: count))
            var characters = encoded.mutableBytes
            let length = Base64.encode(bytes.span, into: &characters, at: 0)
            #expect(length == text.utf8.count)
            #expect(encoded.publicCopy() == Array(text.utf8))
            var decoded = try SecretBytes(zeroed: count)
            var output = decoded.mutableBytes
            let decodedEnd = Base64.decode(Array(text.utf8).span, into: &output, at: 0)
            #expect(decodedEnd == count)
            #expect(decoded.publicCopy() == bytes)
            guard count > 0 else { continue }
            var small = try SecretBytes(zeroed: count - 1)
            var little = small.mutableBytes
            let tooLittle = Base64.decode(Array(text.utf8).span, into: &little, at: 0)
            #expect(tooLittle == nil)
        }
        for text in ["A", "AB", "AAB", "AA=", "AA==", "A A", "-", "AA\n", "AAAAA"] {
            var bytes = try SecretBytes(zeroed: 64)
            var output = bytes.mutableBytes
            let end = Base64.decode(Array(text.utf8).span, into: &output, at: 0)
            #expect((end == nil) == (Base64.decode(text) == nil), "\(text)")
            #expect(end == nil, "\(text)")
        }
    }
}
