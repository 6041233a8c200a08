internal import CSQLCipher

/// The arguments of one call of a function.
@safe
public struct FunctionArguments: ~Copyable {
    private let call: FunctionCall
    private let name: String

    init(_ call: borrowing FunctionCall, _ name: String) {
        self.call = call.copy()
        self.name = name
    }

    /// The number of arguments.
    public var count: Int { call.count }

    /// The argument at this index, counting from 0.
    /// - Throws: ``LockstepError/Code/misuse`` if there is no such argument;
    ///   ``LockstepError/Code/decodeMismatch`` for TEXT that is not UTF-8.
    public subscript(_ index: Int) -> Value {
        get throws {
            guard let value = unsafe call.value(index) else {
                throw LockstepError(.misuse, "\(name) has no argument \(index): the call has \(count)")
            }
            switch call.kind(index) {
            case .null: return .null
            case .integer: return .integer(call.integer(index))
            case .real: return .real(call.real(index))
            case .text:
                let start = unsafe sqlite3_value_text(value)
                let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
                guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
                    throw LockstepError(.decodeMismatch, "argument \(index) of \(name) is not valid UTF-8")
                }
                return .text(text)
            case .blob: return .blob(try call.bytes(index))
            }
        }
    }
}
