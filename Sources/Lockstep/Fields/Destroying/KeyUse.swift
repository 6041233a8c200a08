public import SystemPackage

/// Something that stands in the way of destroying a key: data that the key still opens, or a database of which that is
/// not known.
public enum KeyUse: Sendable, Hashable {
    /// The database at this path is encrypted with the key.
    case encrypts(FilePath)
    /// These columns of the database, as `table.column`, have cells under the key.
    case seals(FilePath, columns: [String])
    /// These columns of the database, as `table.column`, have blind indexes under the key.
    case indexes(FilePath, columns: [String])
    /// The keyring records a database that may use the key, and whose file nobody has named. The value is the
    /// database's identity, 16 bytes.
    case unseen([UInt8])

    /// The use as a part of a message.
    var description: String {
        switch self {
        case .encrypts(let path): "\(path) is encrypted with it"
        case .seals(let path, let columns):
            "\(path) has cells under it in \(columns.joined(separator: ", "))"
        case .indexes(let path, let columns):
            "\(path) has blind indexes under it on \(columns.joined(separator: ", "))"
        case .unseen(let database):
            "the keyring records the database \(Hex.encode(database)), whose file is not known"
        }
    }
}
