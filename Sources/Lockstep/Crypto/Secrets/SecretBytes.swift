internal import CCrypto

/// Bytes that must not leak: a key, a passphrase, a ring key.
///
/// They live in OpenSSL's secure heap, cannot be copied implicitly, and are wiped when the value goes out of scope.
/// They cannot be printed or encoded, and are compared in constant time. The heap is small (256 KiB at most), so use
/// this type for secrets and not for data.
@safe
public struct SecretBytes: ~Copyable {
    private let memory: UnsafeMutableRawPointer
    /// The number of bytes.
    public let count: Int

    /// Whether secrets of this type are locked against swap. If the system does not let the process lock memory, they
    /// are not; the other protections remain. ``KeyMemory`` also reports on the copies in libcrypto and SQLCipher.
    public static var areLocked: Bool { SecureHeap.isLocked }

    /// Makes `count` zero bytes for later use; a negative number counts as 0.
    /// - Throws: ``LockstepError/Code/secureMemoryExhausted``.
    public init(zeroed count: Int) throws(LockstepError) {
        unsafe memory = try SecureHeap.allocate(max(count, 0))
        self.count = max(count, 0)
    }

    /// Makes `count` random bytes from OpenSSL's private generator; a negative number counts as 0.
    /// - Throws: ``LockstepError/Code/secureMemoryExhausted``, ``LockstepError/Code/cryptographyFailed``.
    public init(random count: Int) throws(LockstepError) {
        let count = max(count, 0)
        let memory = unsafe try SecureHeap.allocate(count)
        let bytes = unsafe memory.assumingMemoryBound(to: UInt8.self)
        guard unsafe RAND_priv_bytes(bytes, Int32(clamping: count)) == 1 else {
            unsafe SecureHeap.free(memory, count)
            throw openSSLFailure("random bytes")
        }
        unsafe self.memory = unsafe memory
        self.count = count
    }

    /// Copies `bytes` into secure memory. The caller should wipe the source.
    /// - Throws: ``LockstepError/Code/secureMemoryExhausted``.
    public init(copying bytes: Span<UInt8>) throws(LockstepError) {
        try self.init(zeroed: bytes.count)
        unsafe bytes.withUnsafeBytes { source in
            unsafe memory.copyMemory(from: source.baseAddress ?? UnsafeRawPointer(memory), byteCount: source.count)
        }
    }

    deinit { unsafe SecureHeap.free(memory, count) }

    /// The borrowed bytes.
    public var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let start = unsafe UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))
            let span = unsafe Span(_unsafeStart: start, count: count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// The borrowed bytes, for writing.
    public var mutableBytes: MutableSpan<UInt8> {
        @_lifetime(&self)
        mutating get {
            let start = unsafe memory.assumingMemoryBound(to: UInt8.self)
            let span = unsafe MutableSpan(_unsafeStart: start, count: count)
            return unsafe _overrideLifetime(span, mutating: &self)
        }
    }

    /// A copy in its own secure memory.
    /// - Throws: ``LockstepError/Code/secureMemoryExhausted``.
    public borrowing func clone() throws(LockstepError) -> SecretBytes {
        try SecretBytes(copying: bytes)
    }

    /// The first `count` bytes as a separate secret.
    borrowing func prefix(_ count: Int) throws(LockstepError) -> SecretBytes {
        try SecretBytes(copying: bytes.extracting(first: min(count, self.count)))
    }

    /// A copy in ordinary memory, for bytes that are not secret: a public key, a commitment.
    borrowing func publicCopy(from start: Int = 0) -> [UInt8] {
        var copy: [UInt8] = []
        copy.reserveCapacity(count - start)
        for index in start..<count { copy.append(bytes[index]) }
        return copy
    }

    /// Whether both have the same bytes, compared in constant time.
    public static func == (one: borrowing SecretBytes, other: borrowing SecretBytes) -> Bool {
        ConstantTime.equal(one.bytes, other.bytes)
    }
}

// Sendable by this proof: `memory` and `count` are constant. The bytes at `memory` belong to this value alone, which
// has no copies; after `init` only `mutableBytes` writes them, which needs exclusive access to the value.
extension SecretBytes: @unchecked Sendable {}

/// A secret that several threads read. It is wiped when the last reference is released.
package final class SharedSecret<Secret: ~Copyable & Sendable>: Sendable {
    /// The secret.
    package let value: Secret

    /// Takes ownership of a secret.
    package init(_ value: consuming Secret) { self.value = value }
}

/// Comparisons whose time reveals nothing about the bytes.
enum ConstantTime {
    /// Whether both have the same bytes; the time depends only on their lengths.
    static func equal(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        return unsafe one.withUnsafeBytes { a in
            unsafe other.withUnsafeBytes { b in
                unsafe a.isEmpty || CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0
            }
        }
    }
}
