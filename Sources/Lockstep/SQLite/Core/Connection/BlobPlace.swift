internal import CSQLCipher

/// Which BLOB or TEXT a handle is opened on.
public struct BlobPlace: Sendable, Hashable {
    /// The table, which must have rowids.
    public var table: String
    /// The column. It must not be part of an index or a key if it is to be written.
    public var column: String
    /// The rowid.
    public var row: Int64

    /// That column of that row.
    public init(table: String, column: String, row: Int64) {
        self.table = table
        self.column = column
        self.row = row
    }
}
