/// How far a copy has come.
public struct CopyProgress: Sendable, Hashable {
    /// What has been done, of ``total``.
    public let done: Int
    /// All there is to do: pages of a backup, rows of an adoption or export.
    public let total: Int
}
