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
