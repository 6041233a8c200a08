/// Computes the tokens of one blind index, on one thread at a time.
package final class BlindIndexHasher {
    /// The index's definition.
    package let index: BlindIndex
    private let mac: HMAC

    /// Derives the index's key.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if the keyring does not have the index key's version, either
    ///   no longer or not yet.
    package init(_ index: BlindIndex, _ keys: FieldKeys) throws(LockstepError) {
        let key = try keys.indexKey(version: index.keyVersion, info: index.info)
        let mac = try HMAC(.sha256, key: key.bytes)
        self.index = index
        self.mac = mac
    }

    /// The token of a row's values, or of the values to look up: an INTEGER or a BLOB; nil if there is no entry.
    /// - Throws: ``LockstepError/Code/misuse`` for another number of values, or for types that the normalisers do not
    ///   accept.
    package func token(_ values: [Value]) throws(LockstepError) -> Value? {
        guard let message = try index.message(values) else { return nil }
        return try token(of: message)
    }

    /// The token of a message that the index has made of values.
    package func token(of message: [UInt8]) throws(LockstepError) -> Value {
        try mac.update(message.span)
        let code = try mac.finish()
        guard index.hasIntegers else { return .blob(Array(code[..<(index.bits / 8)])) }
        var bits: UInt64 = 0
        for byte in code[..<8] { bits = bits << 8 | UInt64(byte) }
        return .integer(Int64(bits >> (64 - UInt64(index.bits))))
    }
}
