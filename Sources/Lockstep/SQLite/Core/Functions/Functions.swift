/// The SQL functions that every connection has, besides SQLite's own.
enum Functions {
    /// Registers `lockstep_sha256(x)`: the SHA-256 of a BLOB's bytes, or of a TEXT's in UTF-8, as a BLOB; NULL
    /// for NULL.
    static func register(on connection: borrowing Connection) throws(LockstepError) {
        try connection.add("lockstep_sha256", argumentCount: 1, isDeterministic: true) {
            call throws(LockstepError) in
            guard call.kind(0) != .null else { return }
            let digest = try call.withBytes(0) { bytes throws(LockstepError) in
                try HashFunction.sha256.digest(bytes)
            }
            call.setResult(blob: digest.span)
        }
    }
}
