import TestSupport

@testable import Lockstep

/// Converts secrets to plain bytes and back, which only a test is permitted to do.
enum Secrets {
    static func bytes(of secret: borrowing SecretBytes) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in 0..<secret.count { bytes.append(secret.bytes[index]) }
        return bytes
    }

    static func bytes(ofOptional secret: consuming SecretBytes?) -> [UInt8]? {
        if let secret { return bytes(of: secret) }
        return nil
    }

    static func make(_ bytes: [UInt8]) throws -> SecretBytes {
        try SecretBytes(copying: bytes.span)
    }

    static func make(_ text: String) throws -> SecretBytes { try make(Array(text.utf8)) }
}
