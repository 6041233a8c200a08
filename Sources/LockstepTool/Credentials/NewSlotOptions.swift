import ArgumentParser
import Lockstep

/// The credential that opens a new slot.
struct NewSlotOptions: ParsableArguments {
    @OptionGroup var recipients: NewRecipientOption
    @OptionGroup var keyFiles: NewKeyFileOption
    @OptionGroup var passphrases: NewPassphraseOption
    @OptionGroup var variables: NewVariableOption
    @OptionGroup var commands: NewCommandOption

    private var given: [any NewSlotOption] {
        let all: [any NewSlotOption] = [recipients, keyFiles, passphrases, variables, commands]
        return all.filter(\.isGiven)
    }

    /// Whether an option names a credential.
    var isGiven: Bool { !given.isEmpty }

    func validate() throws {
        guard given.count <= 1 else {
            throw ValidationError("a slot opens with one credential: add the others one by one")
        }
    }

    /// Adds the slot. Without an option, prompts for a passphrase twice.
    /// - Parameter credential: Has what was read for it, if the slot was added to an older version of the keyring.
    func addSlot(
        _ name: String, to keyring: inout Keyring, _ credential: NewCredential, _ plugins: PluginOptions
    ) throws {
        try (given.first ?? passphrases).addSlot(name, to: &keyring, credential, plugins)
    }
}
