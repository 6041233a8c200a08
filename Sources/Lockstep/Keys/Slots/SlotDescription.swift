/// The public part of a keyring's slot, readable before anything is unlocked.
public struct SlotDescription: Sendable, Hashable {
    /// The slot's name.
    public let name: String
    /// What opens it.
    public let kind: Kind

    /// Whether guessing its passphrase costs too little: N is below 2^16. Lockstep does not make such slots.
    public var isCheapToGuess: Bool {
        if case .passphrase(let logN) = kind { logN < Scrypt.Cost.advisable } else { false }
    }

    /// What a slot requires.
    public enum Kind: Sendable, Hashable {
        /// A passphrase, stretched with N = 2^logN.
        case passphrase(logN: Int)
        /// A key file.
        case keyFile
        /// The environment variable with this name.
        case environment(variable: String)
        /// The output of a command that the reader chooses.
        case command
        /// An identity, whose recipient has this tag: the first 8 bytes of SHA-256 over its public key.
        case identity(tag: [UInt8])
        /// The file key that the age plugin with this name unwraps from `stanza`: see ``Plugin/credential(for:with:)``.
        case plugin(PluginName, stanza: PluginStanza)
        /// A type that this version cannot open.
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
