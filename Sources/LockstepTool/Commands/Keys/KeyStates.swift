import ArgumentParser
import Lockstep

/// Which key of a keyring.
struct KeyArguments: ParsableArguments {
    @OptionGroup var kind: KeyKindArgument

    @Argument(help: "Its version.")
    var version: UInt32

    /// How messages call it.
    var name: String { "\(kind.kind.rawValue) key \(version)" }
}

/// Which kind of key.
struct KeyKindArgument: ParsableArguments {
    @Argument(
        help: "What the key is for: database, field, index or manifest.",
        transform: { text in
            guard let kind = KeyKind(rawValue: text) else {
                throw ValidationError("\(text) is no kind of key")
            }
            return kind
        })
    var kind: KeyKind
}

extension Keys {
    /// `lockstep keys create-key`
    struct CreateKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a key, to be put in use later.",
            discussion: """
                It is pending until `lockstep keys activate-key`, so that whoever has the keyring can get it \
                first. The key of a database is made by `lockstep keys rotate-database`.
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

    /// `lockstep keys activate-key`
    struct ActivateKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put a key in use, and retire the one that was.",
            discussion: """
                What was made with the retired key still opens; what is new is made with the other. The key of \
                a database is put in use by `lockstep keys rotate-database`.
                """)

        @OptionGroup var access: KeyringAccess
        @OptionGroup var key: KeyArguments

        func run() throws {
            let kind = key.kind.kind
            var publisher: Publisher?
            try access.change { keyring, file in
                let old = try keyring.activateKey(kind, version: key.version)
                if kind == .manifest { publisher = try keyring.publisher() }
                return "\(key.name) in \(file.path) is active, and key \(old) retired"
            }
            if let publisher { Output.line("its publisher: \(publisher)") }
        }
    }

    /// `lockstep keys mark-compromised`
    struct MarkCompromised: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Mark a key that is not in use as one that others may know.",
            discussion: """
                It still opens what was made with it; with a database's, `lockstep verify` fails until it is \
                destroyed. A key in use is replaced first: a database's by `lockstep keys rotate-database \
                --compromised`.
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

    /// `lockstep keys destroy-key`
    struct DestroyKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Destroy a key that is not in use, for good.",
            discussion: """
                What it encrypted, such as backups from before a rotation, cannot be read any more but with a \
                copy of the keyring from before.
                """)

        @OptionGroup var access: KeyringAccess
        @OptionGroup var key: KeyArguments

        @Flag(help: "Confirm that what it encrypted may be lost.")
        var iUnderstand = false

        func run() throws {
            guard iUnderstand else {
                throw ValidationError(
                    "nobody reads again what the key has encrypted: confirm with --i-understand")
            }
            try access.change { keyring, file in
                try keyring.destroyKey(key.kind.kind, version: key.version)
                return "destroyed \(key.name) in \(file.path)"
            }
        }
    }
}
