/// The BLOB or TEXT that a handle opens.
public struct BlobPlace: Sendable, Hashable {
    /// The table, which must have rowids.
    @Exact public var table: String
    /// The column. To be writable, it must not be part of an index or a key.
    @Exact public var column: String
    /// The rowid.
    public var row: Int64

    /// Names that column of that row.
    public init(table: String, column: String, row: Int64) {
        self.table = table
        self.column = column
        self.row = row
    }

    var context: LockstepError.Context { .init(table: table, column: column) }
}
