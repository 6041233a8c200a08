/// How a column stores UUIDs.
///
/// A record says it for each of its columns, with ``Record/uuids(for:)``.
public enum UUIDColumns: Sendable, Hashable {
    /// A TEXT: `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`, which is read in lower case, too.
    case text
    /// A BLOB of 16 bytes, as GRDB stores them.
    case blob
}
