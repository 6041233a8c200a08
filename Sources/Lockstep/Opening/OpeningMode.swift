/// What an opening may do to a database.
public enum OpeningMode: Sendable, Hashable {
    /// Open the database, or make it with its keyring if there is neither.
    case openOrCreate
    /// Open a database that is there.
    case existing
    /// Make a database where there is none. Its keyring can be there already, and serve other databases.
    case new
    /// Open a database that is there, and write nothing: neither to the file nor to its log or keyrings. Pending
    /// migrations are reported. The folder gets SQLite's `-shm`, which other programs share, while the store is open;
    /// where the folder cannot be written, a database that was closed cleanly is opened as with ``immutable``.
    case readOnly
    /// The same for a database that nobody writes to, such as one on read-only media: no lock is taken and no file
    /// made. If somebody does write to it, reads throw ``LockstepError/Code/busy``. Refused beside a log with commits.
    case immutable

    /// Whether nothing is written.
    var isReadOnly: Bool { self == .readOnly || self == .immutable }

    var access: ConnectionOptions.Access {
        switch self {
        case .openOrCreate, .existing, .new: .full
        case .readOnly: .readOnly
        case .immutable: .immutable
        }
    }
}
