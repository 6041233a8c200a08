import ArgumentParser
import Lockstep

extension Keys {
    /// `lockstep keys create-key`: makes a pending key.
    struct CreateKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a key, to be activated later.",
            discussion: """
                The key is pending until `lockstep keys activate-key`, so that everyone who needs the keyring \
                can get it first. To make a database's key, use `lockstep keys rotate-database`.
                """)

        @OptionGroup var access: KeyringAccess
        @OptionGroup var kind: KeyKindArgument

        func run() throws {
            try access.change { keyring, file in
                let version = try keyring.createKey(kind.kind)
                return "made \(kind.kind.rawValue) key \(version) in \(file.path); it is pending"
            }
        }
    }
}
