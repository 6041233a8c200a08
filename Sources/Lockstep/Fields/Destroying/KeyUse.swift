public import SystemPackage

/// Something that stands in the way of destroying a key: data that the key still opens, or a database of which that is
/// not known.
public enum KeyUse: Sendable, Hashable {
    /// The file at this path is encrypted with the key: a database, or something that does not show that it is only a
    /// backup.
    case encrypts(FilePath)
    /// The copy of a database at this path, which was set aside with its damaged log, is encrypted with the key, or does
    /// not show with which.
    case setAside(FilePath)
    /// These columns of the database, as `table.column`, have cells under the key.
    case seals(FilePath, columns: [String])
    /// These columns of the database, as `table.column`, have blind indexes under the key.
    case indexes(FilePath, columns: [String])
    /// The keyring records a database that may use the key, and whose file is not where it was last seen, and was not
    /// named. The values are the database's identity, 16 bytes, and that place, if it is known.
    case unseen([UInt8], lastSeen: FilePath? = nil)

    /// The use as a part of a message.
    var description: String {
        switch self {
        case .encrypts(let path): "\(path) is encrypted with it"
        case .seals(let path, let columns):
            "\(path) has cells under it in \(columns.joined(separator: ", "))"
        case .indexes(let path, let columns):
            "\(path) has blind indexes under it on \(columns.joined(separator: ", "))"
        case .setAside(let path): "\(path), which was set aside with a damaged log, is or may be encrypted with it"
        case .unseen(let database, let place):
            "the keyring records the database \(Hex.encode(database)), "
                + (place.map { "which is not at \($0) any more" } ?? "whose file is not known")
        }
    }
}
