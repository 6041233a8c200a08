/// The argument that SQL must pass to call a function that makes or opens cells: 16 random bytes of one connection,
/// followed by the number of a column.
///
/// The file's own SQL (a default, a trigger, a CHECK, an index) also runs on a connection that holds field keys.
/// SQLITE_DIRECTONLY keeps most of it away from these functions, but not a CHECK, nor anything that is copied into this
/// connection's own SQL. Only the connection's temporary views and triggers, and the SQL that its methods return,
/// contain these bytes; no other connection accepts them.
struct CellCapability: Sendable {
    /// Bytes of the secret part.
    private static let secretLength = 16
    /// Bytes of an argument: the secret part and a column's number, big-endian.
    static let length = secretLength + 4

    private let secret: [UInt8]

    init() throws(LockstepError) { secret = try Random.bytes(Self.secretLength) }

    /// The first argument of a call for the column with this number.
    func argument(for column: Int) -> [UInt8] {
        secret + UInt32(clamping: column).bigEndianBytes
    }

    /// The same argument as an SQL literal.
    func literal(for column: Int) -> String { "x'\(Hex.encode(argument(for: column)))'" }

    /// What every literal of it contains.
    var mark: String { Hex.encode(secret) }

    /// The column number in argument 0 of a call.
    /// - Throws: ``LockstepError/Code/denied`` for anything but this connection's own argument.
    func column(_ call: borrowing FunctionCall) throws(LockstepError) -> Int {
        guard call.kind(0) == .blob else { throw Self.missing }
        let number = try call.withBytes(0) { bytes throws(LockstepError) -> Int? in
            guard bytes.count == Self.length,
                ConstantTime.equal(bytes.extracting(first: Self.secretLength), secret.span)
            else { return nil }
            var number = 0
            for index in Self.secretLength..<Self.length {
                number = number << 8 | Int(bytes[index])
            }
            return number
        }
        guard let number else { throw Self.missing }
        return number
    }

    private static let missing = LockstepError(
        .denied, "a function that opens or seals cells was called without this connection's capability",
        hint: "read and write the table's readable view, or take the call's SQL from "
            + "Connection.opening(_:of:cell:key:), sealing(_:of:value:key:) or token(_:of:index:value:)")
}
