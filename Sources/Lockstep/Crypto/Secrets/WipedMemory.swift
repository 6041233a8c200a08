internal import CCrypto

/// Ordinary memory for plaintext that is processed in pieces; it is wiped when the last reference is released.
///
/// One value serves one thread at a time.
@safe
final class WipedMemory {
    let count: Int
    private let start: UnsafeMutablePointer<UInt8>

    /// Makes `count` zero bytes, at least one.
    init(_ count: Int) {
        self.count = max(count, 1)
        unsafe start = .allocate(capacity: self.count)
        unsafe start.initialize(repeating: 0, count: self.count)
    }

    deinit {
        unsafe OPENSSL_cleanse(start, count)
        unsafe start.deallocate()
    }

    /// Lends a piece to `body`.
    func with<Result>(
        _ piece: Range<Int>,
        _ body: (inout MutableSpan<UInt8>) throws(LockstepError) -> Result
    ) throws(LockstepError) -> Result {
        var span = unsafe MutableSpan(_unsafeElements: bytes(piece))
        return try body(&span)
    }

    /// Appends a copy of a piece to `target`.
    func append(_ piece: Range<Int>, to target: inout [UInt8]) {
        unsafe target.append(contentsOf: bytes(piece))
    }

    subscript(_ place: Int) -> UInt8 { unsafe bytes(place..<(place + 1))[0] }

    private func bytes(_ piece: Range<Int>) -> UnsafeMutableBufferPointer<UInt8> {
        precondition(piece.lowerBound >= 0 && piece.upperBound <= count)
        return unsafe UnsafeMutableBufferPointer(start: start + piece.lowerBound, count: piece.count)
    }
}
