/// HKDF (RFC 5869): many independent keys from one strong key.
enum HKDF {
    /// Derives `count` bytes from a secret with SHA-256; `info` names their purpose.
    static func derive(
        _ key: borrowing SecretBytes, salt: [UInt8], info: [UInt8], count: Int = 32
    ) throws(LockstepError) -> SecretBytes {
        try derive(key.bytes, salt: salt.span, info: info.span, count: count)
    }

    /// Derives `count` bytes; `info` names their purpose. A missing salt counts as zero bytes of the hash function's
    /// output length.
    static func derive(
        _ key: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>, count: Int = 32, with function: HashFunction = .sha256
    ) throws(LockstepError) -> SecretBytes {
        let extractor = try HMAC(function, key: salt)
        try extractor.update(key)
        let extracted = try extractor.finishSecret()
        return try expand(extracted.bytes, info: info, count: count, with: function)
    }

    /// Only the expand step, for a key that is already uniformly random.
    static func expand(
        _ key: Span<UInt8>, info: Span<UInt8>, count: Int, with function: HashFunction
    ) throws(LockstepError) -> SecretBytes {
        // RFC 5869, section 2.3: at most 255 blocks.
        let limit = 255 * function.length
        guard count <= limit else {
            throw LockstepError(.misuse, "HKDF with \(function.name) yields at most \(limit) bytes, not \(count)")
        }
        let expander = try HMAC(function, key: key)
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
