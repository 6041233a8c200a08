/// A Swift type that is made of a row: `extension Movie: RowDecodable { init(row:) … }`.
public protocol RowDecodable {
    /// Reads `row`, whose columns the query and this agree about.
    init(row: borrowing Row) throws
}
