internal import CSQLCipher

/// A row's value in SQLite's memory, neither copied nor validated.
@safe
package enum RowValue: ~Copyable, ~Escapable {
    case null
    case integer(Int64)
    case real(Double)
    /// In UTF-8, whatever the file's encoding.
    case text(RawSpan)
    case blob(RawSpan)
}

extension Row {
    /// The value of a column in its own storage class. Its bytes are valid as long as the row.
    @_lifetime(borrow self)
    package func stored(_ column: Int) throws(LockstepError) -> RowValue {
        switch unsafe sqlite3_value_type(value(Int32(clamping: column))) {
        case SQLITE_INTEGER: .integer(try self[column])
        case SQLITE_FLOAT: .real(try self[column])
        case SQLITE_TEXT: .text(try bytes(column))
        case SQLITE_BLOB: .blob(try bytes(column))
        default: .null
        }
    }
}
