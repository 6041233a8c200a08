/// A slot of a keyring as a reader may see it before anything is unlocked.
public struct SlotDescription: Sendable, Hashable {
    /// The slot's name.
    public let name: String
    /// What opens it.
    public let kind: Kind

    /// Whether a guess at its passphrase costs less than it should: N is below 2^16. Only another program can
    /// have made such a slot.
    public var isCheapToGuess: Bool {
        if case .passphrase(let logN) = kind { logN < Scrypt.Cost.advisable } else { false }
    }

    /// What a slot asks for.
    public enum Kind: Sendable, Hashable {
        /// A passphrase, stretched with N = 2^logN.
        case passphrase(logN: Int)
        /// A key file.
        case keyFile
        /// The environment variable of this name.
        case environment(variable: String)
        /// What a command prints; which one is the reader's to say.
        case command
        /// An identity, whose recipient has this tag: the first 8 bytes of SHA-256 over its public key.
        case identity(tag: [UInt8])
        /// What the age plugin of this name makes of `stanza`: see ``Plugin/credential(for:with:)``.
        case plugin(PluginName, stanza: PluginStanza)
        /// Something that this version cannot open.
        case other(type: String)
    }
}

extension KeyringSlot {
    var description: SlotDescription {
        switch kind {
        case .scrypt(_, let cost):
            SlotDescription(name: name, kind: .passphrase(logN: cost.logN))
        case .keyFile: SlotDescription(name: name, kind: .keyFile)
        case .environment(let variable, _):
            SlotDescription(name: name, kind: .environment(variable: variable))
        case .command: SlotDescription(name: name, kind: .command)
        case .x25519(_, let tag): SlotDescription(name: name, kind: .identity(tag: tag))
        case .plugin(let plugin, _, let stanza):
            SlotDescription(name: name, kind: .plugin(plugin, stanza: stanza))
        case .other(let type): SlotDescription(name: name, kind: .other(type: type))
        }
    }
}
