import ArgumentParser
import Lockstep

extension Keys {
    /// `lockstep keys activate-key`: puts a key in use.
    struct ActivateKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put a key in use and retire the previous one.",
            discussion: """
                The retired key still opens older data; new data gets the active key. To put a database's key \
                in use, use `lockstep keys rotate-database`.
                """)

        @OptionGroup var access: KeyringAccess
        @OptionGroup var key: KeyArguments

        func run() throws {
            let kind = key.kind.kind
            var publisher: Publisher?
            try access.change { keyring, file in
                let old = try keyring.activateKey(kind, version: key.version)
                if kind == .manifest { publisher = try keyring.publisher() }
                return "\(key.name) in \(file.path) is active, and key \(old) is retired"
            }
            if let publisher { Output.line("its publisher: \(publisher)") }
        }
    }
}
