/// The column of a table that a column of a result came from, as the server says: nothing that it says is proof.
public struct ResultOrigin: Sendable, Hashable {
    /// The table's number in the server's catalogue.
    public let table: UInt32
    /// The column's number in its table, from 1.
    public let column: Int
}
