internal import CSQLCipher

/// A copy of a row's value in SQLite's own memory, which any thread can bind to any connection; its type is
/// preserved exactly. The owner must free it.
@safe
struct CopiedValue: Bindable {
    private let value: OpaquePointer

    /// Nil if memory is exhausted.
    init?(_ row: borrowing Row, _ column: Int) {
        guard let copy = unsafe sqlite3_value_dup(row.value(Int32(clamping: column))) else {
            return nil
        }
        unsafe value = unsafe copy
    }

    func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        unsafe sqlite3_bind_value(parameters.statement, index, value)
    }

    /// The number of its bytes; 0 if it is not a BLOB.
    var blobLength: Int {
        // Of a TEXT in UTF-16, SQLite would make another one to count its bytes.
        guard unsafe sqlite3_value_type(value) == SQLITE_BLOB else { return 0 }
        return unsafe Int(sqlite3_value_bytes(value))
    }

    /// Frees the copy; it must not be used afterwards.
    func free() { unsafe sqlite3_value_free(value) }
}
