/// The purpose of a key in a keyring.
public enum KeyKind: String, Sendable, CaseIterable {
    /// Encrypts a database file.
    case database
    /// Seals cells.
    case field
    /// Computes blind indexes.
    case index
    /// Signs a dataset's manifest (an Ed25519 seed).
    case manifest
}
