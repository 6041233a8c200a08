/// A Swift type that a column's value can be decoded to.
public protocol ColumnDecodable {
    /// Decodes column `column` of `row`, counting from 0.
    /// - Throws: ``LockstepError/Code/decodeMismatch`` if there is no such column, or it has another type.
    init(column: Int32, of row: borrowing Row) throws(LockstepError)
}
