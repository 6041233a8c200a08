/// The public part of a keyring's slot, readable before anything is unlocked.
public struct SlotDescription: Sendable, Hashable {
    /// The slot's name.
    public let name: String
    /// The kind of credential that opens it.
    public let kind: Kind
    /// The kind in words, such as `key file`.
    public let opensWith: String

    /// Whether it was made for a recipient, which is public, so that anybody can have made it.
    package var isOfRecipient: Bool {
        switch kind {
        case .identity, .plugin: true
        default: false
        }
    }

    /// Whether guessing its passphrase costs too little: N is below 2^16. Lockstep does not make such slots.
    public var isCheapToGuess: Bool {
        if case .passphrase(let logN) = kind { logN < Scrypt.Cost.advisable } else { false }
    }
}
