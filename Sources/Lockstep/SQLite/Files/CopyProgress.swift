/// The progress of a copy.
public struct CopyProgress: Sendable, Hashable {
    /// The finished part of ``total``.
    public let done: Int
    /// The whole amount: pages of a backup, rows of an adoption or export.
    public let total: Int
}
