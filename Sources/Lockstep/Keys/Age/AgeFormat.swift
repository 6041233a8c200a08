// Files for recipients use the age format (C2SP, age.md, "age-encryption.org/v1"), so any age program can open them.
// Lockstep uses these parts of it:
//
//   age-encryption.org/v1
//   -> X25519 <ephemeral share>                                     one for each recipient
//   <ChaCha20-Poly1305(wrap key, nonce of zeros, file key): 32 bytes>
//   --- <HMAC-SHA256(HKDF(file key, no salt, "header"), all bytes from the beginning to ---)>
//   16 random bytes, the payload's nonce
//   chunks of 64 KiB, each sealed by ChaCha20-Poly1305 with HKDF(file key, the nonce, "payload") and a nonce of its
//   number in 11 bytes, big-endian, and a byte that is 1 for the last chunk, else 0
//
// All base64 is canonical and without padding. The file key is 16 random bytes. The wrap key is HKDF-SHA256(shared
// secret, salt = ephemeral share ‖ recipient, info = "age-encryption.org/v1/X25519"). The last chunk can be full; it is
// empty only if the whole file is empty.

/// Constants of the age format.
enum AgeFormat {
    static let intro = "age-encryption.org/v1"
    static let wrapInfo = Array("age-encryption.org/v1/X25519".utf8)
    static let headerInfo = Array("header".utf8)
    static let payloadInfo = Array("payload".utf8)
    static let fileKeyLength = 16
    static let nonceLength = 16
    /// Bytes of plaintext in every chunk except the last.
    static let chunkLength = 65_536
    static let sealedChunkLength = chunkLength + AEAD.tagLength
    /// Larger than any header that Lockstep writes: 64 recipients and their lines.
    static let longestHeader = 65_536

    /// The key that wraps the file key, from an ephemeral and a recipient's key; nil for a point of low order.
    static func wrapKey(
        _ secret: borrowing SecretBytes, with other: [UInt8], share: [UInt8], recipient: [UInt8]
    ) throws(LockstepError) -> SecretBytes? {
        guard let shared = try X25519.sharedSecret(secret, with: other.span) else { return nil }
        return try HKDF.derive(shared, salt: share + recipient, info: wrapInfo)
    }

    static func headerCode(
        _ fileKey: borrowing SecretBytes, _ header: [UInt8]
    ) throws(LockstepError) -> [UInt8] {
        let key = try HKDF.derive(fileKey, salt: [], info: headerInfo)
        let mac = try HMAC(.sha256, key: key.bytes)
        try mac.update(header.span)
        return try mac.finish()
    }

    static func payloadKey(
        _ fileKey: borrowing SecretBytes, _ nonce: [UInt8]
    ) throws(LockstepError) -> SecretBytes {
        try HKDF.derive(fileKey, salt: nonce, info: payloadInfo)
    }

    static func nonce(_ number: UInt64, isLast: Bool) -> [UInt8] {
        [0, 0, 0] + number.bigEndianBytes + [isLast ? 1 : 0]
    }

    /// The nonce for wrapping file keys. It can be zero because each wrap key is used once.
    static let zeroNonce = [UInt8](repeating: 0, count: AEAD.nonceLength)
}
