import ArgumentParser
import Lockstep

extension Keys {
    /// `lockstep keys remove-slot`: removes a slot.
    struct RemoveSlot: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a way to open a keyring.",
            discussion: """
                Anyone who has the old file or knew the ring key still has its keys: rotate the ring with \
                `lockstep keys rotate-ring`, and the keys if others possibly know them.
                """)

        @OptionGroup var access: KeyringAccess

        @Argument(help: "The slot's name.")
        var name: String

        func run() throws {
            try access.change { keyring, file in
                try keyring.removeSlot(name)
                return "removed the slot \(name) from \(file.path)"
            }
        }
    }
}
