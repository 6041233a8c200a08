import ArgumentParser
import Lockstep
import SystemPackage

extension Keys {
    /// `lockstep keys destroy-key`
    struct DestroyKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Destroy a key that is not in use, for good.",
            discussion: """
                What it encrypted, such as backups from before a rotation, cannot be read any more but with a \
                copy of the keyring from before.
                """)

        @OptionGroup var access: KeyringAccess

        @Argument(
            help: "What the key is for: database, field, index or manifest.",
            transform: { text in
                guard let kind = KeyKind(rawValue: text) else {
                    throw ValidationError("\(text) is no kind of key")
                }
                return kind
            })
        var kind: KeyKind

        @Argument(help: "Its version.")
        var version: UInt32

        @Flag(help: "Confirm that what it encrypted may be lost.")
        var iUnderstand = false

        func run() throws {
            guard iUnderstand else {
                throw ValidationError(
                    "nobody reads again what the key has encrypted: confirm with --i-understand")
            }
            let file = try access.file()
            var keyring = try access.credentials.open(file)
            try keyring.destroyKey(kind, version: version)
            try file.save(&keyring)
            Output.line("destroyed \(kind.rawValue) key \(version) in \(file.path)")
        }
    }
}
