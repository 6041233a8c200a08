/// What a keyring gives power over. One file per power: whoever may open a database file need not be
/// able to read the sealed cells in it.
public enum KeyringPurpose: String, Sendable, CaseIterable {
    /// Opens one database file.
    case database
    /// Reads and writes the sealed cells of one dataset.
    case fields

    /// What the keyring's subject is called in its text.
    var subjectWord: String {
        switch self {
        case .database: "database"
        case .fields: "dataset"
        }
    }

    /// The kinds of key that such a keyring holds; it has one active key of each.
    public var kinds: [KeyKind] {
        switch self {
        case .database: [.database]
        case .fields: [.field, .index, .manifest]
        }
    }
}

/// What a key in a keyring is for.
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

/// Where in its life a key stands.
public enum KeyState: String, Sendable, CaseIterable {
    /// Recorded, but not yet the key in use.
    case pending
    /// In use; exactly one of each kind.
    case active
    /// Opens what was made with it, makes nothing new.
    case retired
    /// Its material is gone; the entry remains so that errors can say so.
    case destroyed
    /// Opens with a warning, and `verify` fails while it is in use.
    case compromised

    /// The states that a key may go to from this one.
    var successors: [KeyState] {
        switch self {
        case .pending: [.active, .destroyed, .compromised]
        case .active: [.retired, .compromised]
        case .retired: [.active, .destroyed, .compromised]
        case .compromised: [.destroyed]
        case .destroyed: []
        }
    }
}
