import ArgumentParser
import Lockstep
import SystemPackage

/// The options for identities and age plugins: an identity file can have both.
struct AgeOptions: CredentialKindOptions {
    @Option(
        help: """
            A file with an identity whose recipient has a slot: AGE-SECRET-KEY-1…, or AGE-PLUGIN-NAME-1…, which \
            runs the program age-plugin-NAME. (default: the variable LOCKSTEP_IDENTITY, if no other credential is given)
            """)
    var identity: String?

    @Option(
        help: """
            The name of an age plugin, for slots that it opens without an identity file. Runs the program \
            age-plugin-NAME from an absolute folder in PATH.
            """,
        transform: { try PluginName($0) })
    var plugin: PluginName?

    var isGiven: Bool { identity != nil || plugin != nil }
}

/// Identities, and the file keys that plugins unwrap.
final class AgeCredentials: CredentialKind {
    private let options: AgeOptions
    private let plugins: PluginOptions

    init(_ options: AgeOptions, _ plugins: PluginOptions) {
        self.options = options
        self.plugins = plugins
    }

    func credential(for slot: SlotDescription, of file: KeyringFile?) throws -> Credential? {
        switch slot.kind {
        case .identity: return try identity()
        case .plugin(let name, _):
            guard file != nil, let identities = try identities(of: name) else { return nil }
            return try plugins.find(name).credential(for: slot, with: identities)
        default: return nil
        }
    }

    private func identity() throws -> Credential? {
        guard let path = options.identity,
            let identity = try IdentityFile.read(FilePath(path)).identity()
        else { return nil }
        return try .identity(identity)
    }

    /// The plugin's identities in the file, or the one without data if `--plugin` names the plugin.
    private func identities(of name: PluginName) throws -> PluginIdentities? {
        if let path = options.identity, let found = try IdentityFile.read(FilePath(path)).identities(of: name) {
            return found
        }
        // exact: names of plugins
        return options.plugin == name ? try PluginIdentities(withoutData: name) : nil
    }
}

/// The option for a new slot with a recipient, of an identity or a plugin.
struct NewRecipientOption: NewSlotOption {
    @Option(
        help: """
            Open the slot with the identity of this recipient: age1…, or age1NAME1…, which runs the age \
            plugin age-plugin-NAME.
            """)
    var recipient: String?

    var isGiven: Bool { recipient != nil }

    func addSlot(_ name: String, to keyring: inout Keyring, _: NewCredential, _ plugins: PluginOptions) throws {
        guard let recipient else { return }
        try keyring.addSlot(name, for: SlotRecipient(recipient), plugin: { try plugins.find($0) })
    }
}
