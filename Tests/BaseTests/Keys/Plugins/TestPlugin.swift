import Foundation
import Synchronization
import SystemPackage
import TestSupport

@testable import EngineTestSupport
@testable import Lockstep

/// The plugin program of Tests/Harness/AgePlugin, installed as `age-plugin-lstest` in a folder of its own.
struct TestPlugin {
    static let isPossible = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
    static let missing = "there is no /usr/bin/python3"

    static let seed = Array("sixteen bytes 00".utf8)
    let folder: TemporaryFolder
    let name: PluginName

    init(_ name: String = "lstest") throws {
        folder = try TemporaryFolder()
        self.name = try PluginName(name)
        let script = Programs.package.appending("Tests/Harness/AgePlugin/age_plugin.py")
        try ProgramFile.write(
            String(decoding: Bytes.read(script), as: UTF8.self), to: folder.file("age-plugin-\(name)"))
    }

    /// The plugin, as a caller gets it.
    func found(_ interaction: PluginInteraction = PluginInteraction()) throws -> Plugin {
        var plugin = try Plugin.find(name, in: folder.path.string)
        plugin.interaction = interaction
        return plugin
    }

    /// A recipient whose plugin behaves as `mode` says.
    func recipient(_ mode: String = "", seed: [UInt8] = seed) throws -> PluginRecipient {
        try PluginRecipient(Self.spelled("age1\(name)", seed + Array(mode.utf8)))
    }

    /// An identity whose plugin behaves as `mode` says, as it stands in a file.
    func identityLine(_ mode: String = "", seed: [UInt8] = seed) throws -> String {
        try Self.spelled("age-plugin-\(name)-", seed + Array(mode.utf8)).uppercased()
    }

    func identities(_ mode: String = "", seed: [UInt8] = seed) throws -> PluginIdentities {
        let file = try IdentityFile(parsing: Secrets.make(identityLine(mode, seed: seed)))
        if let identities = try file.identities(of: name) { return identities }
        throw LockstepError(.identityMalformed, "the test's own identity is not read")
    }

    /// The identities as they are handed to the plugin.
    static func spelled(_ identities: borrowing PluginIdentities) -> [String] {
        var texts: [String] = []
        for number in 0..<identities.count {
            let text = identities[number]
            var bytes: [UInt8] = []
            for index in text.indices { bytes.append(text[index]) }
            texts.append(String(decoding: bytes, as: UTF8.self))
        }
        return texts
    }

    static func spelled(_ prefix: String, _ data: [UInt8]) throws -> String {
        String(decoding: try Bech32.encode(data.span, prefix: prefix).publicCopy(), as: UTF8.self)
    }

    /// A keyring with a slot of this plugin, `touch`, and the key file's slot of ``Rings``.
    func ring(_ purpose: KeyringPurpose = .database) throws -> Keyring {
        var ring = try Rings.make(purpose)
        try ring.addSlot("touch", for: recipient(), through: found())
        return ring
    }

    /// Opens plugin slots alone, with an identity of `mode`.
    func open(
        _ text: [UInt8], _ mode: String = "", seed: [UInt8] = seed, with plugin: Plugin? = nil
    ) throws -> Keyring {
        let identities = try identities(mode, seed: seed)
        let plugin = if let plugin { plugin } else { try found() }
        return try Keyring.open(text) { try plugin.credential(for: $0, with: identities) }
    }
}

extension SlotDescription {
    /// The stanza of a plugin's slot; any other slot is an error.
    func stanza() throws -> PluginStanza {
        guard case .plugin(_, let stanza) = kind else {
            throw LockstepError(.misuse, "\(name) is not a plugin's slot")
        }
        return stanza
    }
}

/// Texts that the closures of a plugin's interaction have recorded.
final class Notes: Sendable {
    private let noted = Mutex<[String]>([])

    var texts: [String] { noted.withLock { $0 } }

    func note(_ text: String) { noted.withLock { $0.append(text) } }

    /// Records messages and programs, and answers no question.
    var listening: PluginInteraction {
        var interaction = PluginInteraction()
        interaction.willRun = { _, program in
            self.note("run \(program.lastComponent?.string ?? "")")
        }
        interaction.message = { _, text in self.note(text) }
        return interaction
    }
}
