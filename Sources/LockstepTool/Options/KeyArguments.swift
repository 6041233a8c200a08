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
