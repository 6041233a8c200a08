/// A Swift type that a row can be decoded to: `extension Movie: RowDecodable { init(row:) … }`.
public protocol RowDecodable {
    /// Reads `row`, whose columns must match what this type expects.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` if they do not; any error of the type's own.
    init(row: borrowing Row) throws
}
