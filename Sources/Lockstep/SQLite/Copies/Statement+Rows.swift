internal import CSQLCipher

extension Statement {
    /// Runs once with the values of another statement's current row, of any type and encoding.
    func run(copyingRowOf row: borrowing Statement) throws(LockstepError) {
        try begin()
        for column in 0..<(unsafe sqlite3_data_count(row.prepared.handle)) {
            try bind(column, of: row, at: column + 1)
        }
        while try step() {}
    }

    /// Begins a lookup by values of another statement's current row.
    func look(upRowOf row: borrowing Statement, _ columns: [Int]) throws(LockstepError) {
        try begin()
        var parameter: Int32 = 1
        for column in columns {
            try bind(Int32(clamping: column), of: row, at: parameter)
            parameter += 1
        }
    }

    private func bind(
        _ column: Int32, of row: borrowing Statement, at parameter: Int32
    ) throws(LockstepError) {
        let value = unsafe sqlite3_column_value(row.prepared.handle, column)
        let code: Int32
        if unsafe sqlite3_value_type(value) == SQLITE_TEXT {
            // As UTF-8: SQLite removes a leading byte order mark from a text that is bound in UTF-16.
            let start = unsafe sqlite3_value_text(value)
            code = unsafe sqlite3_bind_text64(
                prepared.handle, parameter, UnsafeRawPointer(start)?.assumingMemoryBound(to: CChar.self),
                UInt64(sqlite3_value_bytes(value)), transient, UInt8(SQLITE_UTF8))
        } else {
            code = unsafe sqlite3_bind_value(prepared.handle, parameter, value)
        }
        guard code == SQLITE_OK else { throw prepared.core.error(code) }
    }

    /// Whether both statements' current rows hold the same values. The same text in another encoding is equal.
    func hasSameRow(as other: borrowing Statement) -> Bool {
        let count = unsafe sqlite3_data_count(prepared.handle)
        guard unsafe count == sqlite3_data_count(other.prepared.handle) else { return false }
        for column in 0..<count {
            let first = unsafe sqlite3_column_value(prepared.handle, column)
            let second = unsafe sqlite3_column_value(other.prepared.handle, column)
            guard unsafe Self.areSame(first, second) else { return false }
        }
        return true
    }

    private static func areSame(_ first: OpaquePointer?, _ second: OpaquePointer?) -> Bool {
        let type = unsafe sqlite3_value_type(first)
        guard unsafe type == sqlite3_value_type(second) else { return false }
        switch type {
        case SQLITE_INTEGER:
            return unsafe sqlite3_value_int64(first) == sqlite3_value_int64(second)
        case SQLITE_FLOAT:
            return unsafe sqlite3_value_double(first).bitPattern == sqlite3_value_double(second).bitPattern
        case SQLITE_TEXT, SQLITE_BLOB:
            let isText = type == SQLITE_TEXT
            let one = unsafe isText ? UnsafeRawPointer(sqlite3_value_text(first)) : sqlite3_value_blob(first)
            let two = unsafe isText ? UnsafeRawPointer(sqlite3_value_text(second)) : sqlite3_value_blob(second)
            let left = unsafe UnsafeRawBufferPointer(start: one, count: Int(sqlite3_value_bytes(first)))
            let right = unsafe UnsafeRawBufferPointer(start: two, count: Int(sqlite3_value_bytes(second)))
            return unsafe left.elementsEqual(right)
        default: return true
        }
    }
}
