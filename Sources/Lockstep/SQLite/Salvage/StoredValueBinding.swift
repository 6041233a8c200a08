internal import CSQLCipher

extension StoredValue {
    /// Binds the value as it was stored. SQLite converts a string to its database's encoding.
    func bind(
        to parameters: borrowing Parameters, at index: Int32, _ encoding: TextEncoding
    ) -> Int32 {
        switch self {
        case .null: return unsafe sqlite3_bind_null(parameters.statement, index)
        case .integer(let number): return number.bind(to: parameters, at: index)
        case .real(let number): return number.bind(to: parameters, at: index)
        case .blob(let bytes): return bytes.bind(to: parameters, at: index)
        case .text(let bytes):
            let form =
                switch encoding {
                case .utf8: SQLITE_UTF8
                case .utf16LittleEndian: SQLITE_UTF16LE
                case .utf16BigEndian: SQLITE_UTF16BE
                }
            // An empty text needs an address, or it would be NULL.
            return unsafe (bytes + [0]).withUnsafeBytes {
                unsafe sqlite3_bind_text64(
                    parameters.statement, index,
                    $0.baseAddress?.assumingMemoryBound(to: CChar.self),
                    UInt64(bytes.count), transient, UInt8(form))
            }
        }
    }
}
