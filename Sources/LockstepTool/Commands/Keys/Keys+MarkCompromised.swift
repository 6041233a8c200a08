import ArgumentParser
import Lockstep

extension Keys {
    /// `lockstep keys mark-compromised`: marks a key as known to others.
    struct MarkCompromised: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Mark a key that is not in use as possibly known to others.",
            discussion: """
                The key still opens the data that it encrypted. For a database's key, `lockstep verify` fails \
                until the key is destroyed. Replace a key in use first: a database's with `lockstep keys \
                rotate-database --compromised`.
                """)

        @OptionGroup var access: KeyringAccess
        @OptionGroup var key: KeyArguments

        func run() throws {
            try access.change { keyring, file in
                try keyring.markCompromised(key.kind.kind, version: key.version)
                return "\(key.name) in \(file.path) is marked as compromised"
            }
        }
    }
}
