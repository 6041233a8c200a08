import ArgumentParser
import Lockstep

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
