import ArgumentParser
import Lockstep

extension Keys {
    /// `lockstep keys destroy-key`: destroys a key.
    struct DestroyKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Destroy a key that is not in use. This cannot be undone.",
            discussion: """
                Data that it encrypted, such as backups from before a rotation, can then be read only with an \
                older copy of the keyring.
                """)

        @OptionGroup var access: KeyringAccess
        @OptionGroup var key: KeyArguments

        @Flag(help: "Confirm that the data it encrypted may be lost.")
        var iUnderstand = false

        func run() throws {
            guard iUnderstand else {
                throw ValidationError(
                    "the data that the key encrypted becomes unreadable: confirm with --i-understand"
                )
            }
            try access.change { keyring, file in
                try keyring.destroyKey(key.kind.kind, version: key.version)
                return "destroyed \(key.name) in \(file.path)"
            }
        }
    }
}
