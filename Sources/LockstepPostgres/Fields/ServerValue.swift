internal import Lockstep

extension ServerResult {
    /// A value in the storage classes of SQLite, by its type on the server. A type that SQLite does not know becomes
    /// the server's text.
    /// - Throws: `LockstepError.Code.decodeMismatch` for a value that is not of its type.
    func value(_ row: Int, _ column: Int) throws(LockstepError) -> Value {
        guard !isNull(row, column) else { return .null }
        if type(column) == ServerType.bytea {
            let bytes = unsafe withBytes(row, column) { unsafe ServerBytes.decode($0) }
            guard let bytes else { throw mismatch(column) }
            return .blob(bytes)
        }
        let text = unsafe withBytes(row, column) {
            unsafe String(decoding: $0, as: UTF8.self)
        }
        let value: Value? =
            switch type(column) {
            case ServerType.int2, ServerType.int4, ServerType.int8:
                Int64(text).map(Value.integer)
            case ServerType.float4, ServerType.float8: Double(text).map(Value.real)
            case ServerType.uuid: Hex.decode(text.replacing("-", with: "")).map(Value.blob)
            case ServerType.bool: .integer(text == "t" ? 1 : 0)
            default: .text(text)
            }
        guard let value else { throw mismatch(column) }
        return value
    }

    private func mismatch(_ column: Int) -> LockstepError {
        LockstepError(
            .decodeMismatch, "the column \(name(column)) of the result has a value that is not of its type",
            context: .init(column: name(column)))
    }
}

extension Value {
    /// The value as the server would write it, for types that are read from its texts.
    var serverText: String? {
        switch self {
        case .null: nil
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): text
        case .blob(let bytes): "\\x\(Hex.encode(bytes))"
        }
    }
}
