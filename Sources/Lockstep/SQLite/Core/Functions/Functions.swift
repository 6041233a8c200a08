internal import CSQLCipher

/// The SQL functions that every connection has, besides SQLite's own.
enum Functions {
    /// Registers `lockstep_sha256(x)`: the SHA-256 of a BLOB's or TEXT's bytes, as a BLOB; NULL for NULL.
    static func register(on database: OpaquePointer) throws(LockstepError) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        let code = unsafe sqlite3_create_function_v2(
            database, "lockstep_sha256", 1, flags, nil,
            { context, _, arguments in
                guard let argument = unsafe arguments?[0],
                    unsafe sqlite3_value_type(argument) != SQLITE_NULL
                else { return unsafe sqlite3_result_null(context) }
                let start = unsafe sqlite3_value_blob(argument)
                let count = unsafe Int(sqlite3_value_bytes(argument))
                let bytes = unsafe UnsafeBufferPointer(
                    start: start?.assumingMemoryBound(to: UInt8.self), count: count)
                do {
                    let digest = try unsafe HashFunction.sha256.digest(bytes.span)
                    unsafe digest.withUnsafeBytes {
                        unsafe sqlite3_result_blob64(
                            context, $0.baseAddress, UInt64($0.count), transient)
                    }
                } catch {
                    unsafe sqlite3_result_error(context, "lockstep_sha256 failed", -1)
                }
            }, nil, nil, nil)
        guard code == SQLITE_OK else { throw unsafe ResultCode.error(code, on: database) }
    }
}
