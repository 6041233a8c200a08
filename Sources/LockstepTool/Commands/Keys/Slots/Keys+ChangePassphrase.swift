import ArgumentParser
import Lockstep

extension Keys {
    /// `lockstep keys change-passphrase`: changes the passphrase of a slot.
    struct ChangePassphrase: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change the passphrase of a slot.",
            discussion:
                "Prompts for the new passphrase twice, unless it comes from a descriptor.")

        @OptionGroup var access: KeyringAccess

        @Option(help: "An open file descriptor from which to read the new passphrase.") var newPassphraseFd: Int32?

        @Option(help: "The slot's name, if several slots have a passphrase.")
        var slot: String?

        func validate() throws {
            guard let newPassphraseFd, newPassphraseFd == access.credentials.passphrases.passphraseFd else { return }
            throw ValidationError("--passphrase-fd and --new-passphrase-fd must name two descriptors")
        }

        func run() throws {
            let credential = NewCredential()
            try access.change { keyring, file in
                let name = try slotName(keyring.summary)
                try credential.use({ try .passphrase(.new(from: newPassphraseFd)) }) {
                    try keyring.changeSlot(name, to: $0, cost: .calibrated())
                }
                return "changed the passphrase of the slot \(name) of \(file.path)"
            }
        }

        private func slotName(_ summary: KeyringSummary) throws -> String {
            let names = summary.slots.filter { slot in
                if case .passphrase = slot.kind {
                    slot.name == self.slot ?? slot.name  // exact: names of slots
                } else {
                    false
                }
            }.map(\.name)
            guard names.count == 1, let name = names.first else {
                throw ValidationError(
                    names.isEmpty
                        ? "the keyring has no such slot with a passphrase"
                        : "name the slot with --slot: \(names.joined(separator: ", "))")
            }
            return name
        }
    }
}
