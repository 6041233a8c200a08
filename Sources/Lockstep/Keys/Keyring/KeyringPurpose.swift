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

    /// The kinds of key that such a keyring holds; it has one active key of each, but an issued keyring has no
    /// manifest key at all.
    public var kinds: [KeyKind] {
        switch self {
        case .database: [.database]
        case .fields: [.field, .index, .manifest]
        }
    }
}
