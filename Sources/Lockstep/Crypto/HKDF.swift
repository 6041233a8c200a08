/// HKDF (RFC 5869) with SHA-256: many independent keys from one good key.
enum HKDF {
    /// Derives `count` bytes from a secret; `info` says what for.
    static func derive(
        _ key: borrowing SecretBytes, salt: [UInt8], info: [UInt8], count: Int = 32
    ) throws(LockstepError) -> SecretBytes {
        try derive(key.bytes, salt: salt.span, info: info.span, count: count)
    }

    /// Derives `count` bytes; `info` says what for. A missing salt counts as 32 zero bytes.
    static func derive(
        _ key: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>, count: Int = 32
    ) throws(LockstepError) -> SecretBytes {
        // RFC 5869, section 2.3: at most 255 blocks.
        guard count <= 255 * 32 else {
            throw LockstepError(.misuse, "HKDF-SHA256 yields at most 8160 bytes, not \(count)")
        }
        let extractor = try HMAC(.sha256, key: salt)
        try extractor.update(key)
        let extracted = try extractor.finishSecret()
        let expander = try HMAC(.sha256, key: extracted.bytes)
        var output = try SecretBytes(zeroed: count)
        var block = try SecretBytes(zeroed: 0)
        var filled = 0
        var counter: UInt8 = 1
        while filled < count {
            try expander.update(block.bytes)
            try expander.update(info)
            try expander.update([counter].span)
            block = try expander.finishSecret()
            let share = min(block.count, count - filled)
            var target = output.mutableBytes
            for index in 0..<share { target[filled + index] = block.bytes[index] }
            filled += share
            counter &+= 1
        }
        return output
    }
}
