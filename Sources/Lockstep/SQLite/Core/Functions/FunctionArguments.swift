internal import CSQLCipher

/// The arguments of one call of a function.
@safe
public struct FunctionArguments: ~Copyable {
    /// The number of arguments.
    public let count: Int
    private let values: UnsafeMutablePointer<OpaquePointer?>?
    private let name: String

    init(
        _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?, _ name: String
    ) {
        self.count = Int(count)
        unsafe self.values = unsafe values
        self.name = name
    }

    /// The argument at this index, counting from 0.
    /// - Throws: ``LockstepError/Code/misuse`` if there is no such argument;
    ///   ``LockstepError/Code/decodeMismatch`` for TEXT that is not UTF-8.
    public subscript(_ index: Int) -> Value {
        get throws {
            guard (0..<count).contains(index), let value = unsafe values?[index] else {
                throw LockstepError(
                    .misuse, "\(name) has no argument \(index): the call has \(count)")
            }
            switch unsafe sqlite3_value_type(value) {
            case SQLITE_INTEGER: return .integer(unsafe sqlite3_value_int64(value))
            case SQLITE_FLOAT: return .real(unsafe sqlite3_value_double(value))
            case SQLITE_TEXT:
                let start = unsafe sqlite3_value_text(value)
                let bytes = unsafe UnsafeBufferPointer(
                    start: start, count: Int(sqlite3_value_bytes(value)))
                guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
                    throw LockstepError(
                        .decodeMismatch, "argument \(index) of \(name) is not valid UTF-8")
                }
                return .text(text)
            case SQLITE_BLOB:
                let start = unsafe sqlite3_value_blob(value)
                return .blob(
                    unsafe Array(
                        UnsafeRawBufferPointer(
                            start: start, count: Int(sqlite3_value_bytes(value)))))
            default: return .null
            }
        }
    }
}
