import ArgumentParser
import Lockstep

/// The credentials for one kind of slot. Each kind has a file with its options, its credentials and its option for new
/// slots: to add one, add its file, and its place in `CredentialOptions` and `NewSlotOptions`.
///
/// Descriptors and variables can be read only once, and a user expects one prompt, so a kind keeps its secrets for the
/// next slot or keyring.
protocol CredentialKind: AnyObject {
    /// The credential to try on `slot`; nil if none was given, or if the slot is of another kind.
    /// - Parameter file: The keyring to name in a prompt; nil to leave out prompts, and plugins.
    func credential(for slot: SlotDescription, of file: KeyringFile?) throws -> Credential?
}

/// The options for the credentials of one kind.
protocol CredentialKindOptions: ParsableArguments {
    /// Whether any of them is present.
    var isGiven: Bool { get }
}

/// The option for a new slot of one kind.
protocol NewSlotOption: CredentialKindOptions {
    /// Adds the slot.
    /// - Parameter credential: Keeps what is read for it, so that a second attempt does not read it again.
    func addSlot(
        _ name: String, to keyring: inout Keyring, _ credential: NewCredential, _ plugins: PluginOptions) throws
}
