/// The kind of access that a keyring gives. Each purpose has its own file, so that opening a database file does not
/// imply reading its sealed cells.
public enum KeyringPurpose: String, Sendable, CaseIterable {
    /// Opens one database file.
    case database
    /// Reads and writes the sealed cells of one dataset.
    case fields

    /// The word for the keyring's subject in its text.
    var subjectWord: String {
        switch self {
        case .database: "database"
        case .fields: "dataset"
        }
    }

    /// The kinds of key in such a keyring. It has one active key of each kind, except that an issued keyring has no
    /// manifest key.
    public var kinds: [KeyKind] {
        switch self {
        case .database: [.database]
        case .fields: [.field, .index, .manifest]
        }
    }
}
