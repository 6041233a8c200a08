internal import CSQLCipher

/// A copy of a row's value in SQLite's own memory, which any thread may bind to any connection: what type it is stays
/// exactly as it is. It is the owner's to free.
@safe
struct CopiedValue: Bindable {
    private let value: OpaquePointer

    /// Nil if there is no memory left.
    init?(_ row: borrowing Row, _ column: Int) {
        guard let copy = unsafe sqlite3_value_dup(row.value(Int32(clamping: column))) else {
            return nil
        }
        unsafe value = unsafe copy
    }

    func bind(to parameters: borrowing Parameters, at index: Int32) -> Int32 {
        unsafe sqlite3_bind_value(parameters.statement, index, value)
    }

    /// It must not be used any more.
    func free() { unsafe sqlite3_value_free(value) }
}
