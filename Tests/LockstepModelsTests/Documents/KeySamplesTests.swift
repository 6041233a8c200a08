import Lockstep
import SystemPackage
import TestSupport
import Testing

@Suite("The samples about keys")
struct KeySamplesTests {
    @Test("A program that opens keyrings begins by protecting their keys")
    func protection() async {
        // It applies to the process.
        await #expect(processExitsWith: .success) {
            // sample: KeepingKeys.md
            ProcessHardening.apply()
            KeyMemory.prepare()
            // end
        }
    }

    /// Only compiled: it ends the process where the system grants no locked memory.
    private func requireProtection() {
        // sample: SecretsInMemory.md
        ProcessHardening.apply()  // no core dumps, no reading by other processes of the user
        let gaps = KeyMemory.prepare()
        guard gaps.isEmpty else { fatalError("secrets are not protected: \(gaps)") }
        // end
    }

    @Test("A key-management service's program is run for its slot alone")
    func command() throws {
        let sample = try SampleFolder()
        try sample.keyring("app")
        let error = #expect(throws: LockstepError.self) { _ = try openByCommand(sample.folder) }
        #expect(error?.code == .noUsableSlot)
    }

    private func openByCommand(_ folder: TemporaryFolder) throws -> Keyring {
        // sample: KeepingKeys.md
        let command = try KeyCommand(["/usr/bin/kms-decrypt", "--in", "/etc/app/app.secret.kms"])
        let keyring = try KeyringFile.database(beside: folder.file("app.db")).open { slot in
            slot.kind == .command ? try command.credential() : nil
        }
        // end
        return keyring
    }

    @Test("A program decides how a plugin asks people")
    func plugin() throws {
        let sample = try SampleFolder()
        try sample.keyring("app")
        let error = #expect(throws: LockstepError.self) { _ = try openByPlugin(sample.folder) }
        // Where the plugin is installed, no slot is for it.
        #expect(error?.code == .commandFailed || error?.code == .noUsableSlot)
    }

    private func openByPlugin(_ folder: TemporaryFolder) throws -> Keyring {
        // sample: KeepingKeys.md
        var plugin = try Plugin.find(PluginName("yubikey"))
        plugin.interaction.message = { _, text in show(text) }
        plugin.interaction.requestSecret = { _, text in try askForPIN(text) }
        let identities = try PluginIdentities(withoutData: plugin.name)
        let keyring = try KeyringFile.database(beside: folder.file("app.db")).open { slot in
            try plugin.credential(for: slot, with: identities)
        }
        // end
        return keyring
    }
}

@Sendable private func show(_ text: String) { print(text) }

@Sendable private func askForPIN(_ text: String) throws -> SecretBytes? {
    try SecretBytes(zeroed: text.utf8.count)
}
