/// A slot of a keyring as a reader may see it before anything is unlocked.
public struct SlotDescription: Sendable, Hashable {
    /// The slot's name.
    public let name: String
    /// What opens it.
    public let kind: Kind

    /// What a slot asks for.
    public enum Kind: Sendable, Hashable {
        /// A passphrase, stretched with N = 2^logN.
        case passphrase(logN: Int)
        /// A key file.
        case keyFile
        /// The environment variable of this name.
        case environment(variable: String)
        /// Something that this version cannot open.
        case other(type: String)
    }
}

extension KeyringDocument.Slot {
    var description: SlotDescription {
        switch kind {
        case .scrypt(_, let cost):
            SlotDescription(name: name, kind: .passphrase(logN: cost.logN))
        case .keyFile: SlotDescription(name: name, kind: .keyFile)
        case .environment(let variable, _):
            SlotDescription(name: name, kind: .environment(variable: variable))
        case .other(let type): SlotDescription(name: name, kind: .other(type: type))
        }
    }
}
