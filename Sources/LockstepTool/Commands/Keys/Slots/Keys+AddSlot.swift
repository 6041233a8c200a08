import ArgumentParser
import Lockstep

extension Keys {
    /// `lockstep keys add-slot`: adds a slot.
    struct AddSlot: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a way to open a keyring.",
            discussion: "Without an option, the command prompts for a new passphrase twice.")

        @OptionGroup var access: KeyringAccess
        @OptionGroup var slot: NewSlotOptions

        @Argument(help: "The slot's name: 1 to 32 of a-z, 0-9 and -.")
        var name: String

        func run() throws {
            let credential = NewCredential()
            try access.change { keyring, file in
                try slot.addSlot(name, to: &keyring, credential, access.credentials.plugins)
                return "added the slot \(name) to \(file.path)"
            }
        }
    }
}
