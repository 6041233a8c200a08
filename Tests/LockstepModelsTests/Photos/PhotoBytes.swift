import Lockstep
import LockstepModels
import TestSupport

/// Content for photos.
enum PhotoBytes {
    /// Content that begins like a JPEG, with `count` bytes in all, no two blocks of which are equal.
    static func jpeg(_ count: Int, salt: UInt64 = 1) -> [UInt8] {
        var numbers = SplitMix64(state: salt)
        var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0]
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            let number = numbers.next()
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        return Array(bytes.prefix(count))
    }

    /// The content in pieces of a size that divides no other size.
    static func pieces(
        _ bytes: [UInt8], of size: Int = 7919, failing error: (any Error)? = nil
    ) -> AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { continuation in
            for start in stride(from: 0, to: bytes.count, by: size) {
                continuation.yield(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            continuation.finish(throwing: error)
        }
    }

    /// The whole content of a photo.
    static func all(_ photos: PhotoStore, _ id: Int64, size: Int = 10_000) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await piece in photos.chunks(of: id, size: size) { bytes += piece }
        return bytes
    }

    static func sha256(_ bytes: [UInt8]) throws -> [UInt8] {
        let connection = try Connection.inMemory()
        return try connection.value("SELECT lockstep_sha256(?)", bytes, as: [UInt8].self) ?? []
    }
}
