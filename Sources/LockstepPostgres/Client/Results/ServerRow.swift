public import Lockstep

/// A row of a result. It keeps the whole result in memory.
public struct ServerRow: Sendable {
    let result: ServerResult
    let number: Int
    /// The values of sealed columns, at their numbers; empty if there are none.
    let opened: [Value?]

    /// The number of columns.
    public var count: Int { result.columnCount }

    /// The name of a column, from 0.
    public func name(_ column: Int) -> String { result.name(column) }

    /// The table's column that a column came from: through joins, renames and RETURNING, and not through expressions
    /// and views.
    public func origin(_ column: Int) -> ResultOrigin? { result.origin(column) }

    /// Whether a value is NULL.
    public func isNull(_ column: Int) -> Bool { result.isNull(number, column) }

    /// The value of a column, from 0, in a storage class of SQLite: that of a sealed column as it was sealed, any other
    /// by its type. Values of types that SQLite does not have are texts.
    /// - Throws: `LockstepError.Code.decodeMismatch`.
    public func value(_ column: Int) throws(LockstepError) -> Value {
        if opened.indices.contains(column), let value = opened[column] { return value }
        return try result.value(number, column)
    }

    /// The value of a column, from 0.
    /// - Throws: `LockstepError.Code.decodeMismatch` for a value that is not of the type; the message has no value.
    public subscript<Output: ServerDecodable>(_ column: Int) -> Output {
        get throws(LockstepError) {
            guard !isNull(column) else {
                guard let output = Output.fromNull else { throw mismatch(column, "NULL") }
                return output
            }
            if opened.indices.contains(column), let value = opened[column] {
                guard let output = Output(sealed: value) else {
                    throw mismatch(column, "a value of another type")
                }
                return output
            }
            let output = unsafe result.withBytes(number, column) { bytes in
                unsafe Output(serverText: String(decoding: bytes, as: UTF8.self))
            }
            guard let output else { throw mismatch(column, "a value of another type") }
            return output
        }
    }

    private func mismatch(_ column: Int, _ what: String) -> LockstepError {
        LockstepError(
            .decodeMismatch, "the column \(name(column)) of the result has \(what)",
            context: .init(column: name(column)))
    }
}
