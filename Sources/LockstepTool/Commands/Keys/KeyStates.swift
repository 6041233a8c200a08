import ArgumentParser
import Lockstep

/// A key of a keyring.
struct KeyArguments: ParsableArguments {
    @OptionGroup var kind: KeyKindArgument

    @Argument(help: "The key's version.")
    var version: UInt32

    /// The key's name in messages.
    var name: String { "\(kind.kind.rawValue) key \(version)" }
}

/// A kind of key.
struct KeyKindArgument: ParsableArguments {
    @Argument(
        help: "What the key is for: database, field, index or manifest.",
        transform: { text in
            guard let kind = KeyKind(rawValue: text) else {
                throw ValidationError("\(text) is not a kind of key")
            }
            return kind
        })
    var kind: KeyKind
}

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
