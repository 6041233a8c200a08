internal import CCrypto

/// Memory into which messages are opened before they are parsed. It is wiped after each use.
///
/// One value serves one thread at a time.
@safe
final class PlaintextBuffer {
    /// Larger memory is released after use. Values of 64 KiB also need room for a tag and padding.
    private static let kept = 2 * 65_536

    private var memory: UnsafeMutablePointer<UInt8>
    private var capacity: Int

    init() {
        capacity = 4096
        unsafe memory = .allocate(capacity: capacity)
        unsafe memory.initialize(repeating: 0, count: capacity)
    }

    deinit { unsafe memory.deallocate() }

    /// Lends `count` bytes with unspecified content to `body`, then wipes them.
    func with<Result>(
        _ count: Int, _ body: (inout MutableSpan<UInt8>) throws(LockstepError) -> Result
    ) throws(LockstepError) -> Result {
        if count > capacity { resize(count) }
        defer {
            unsafe OPENSSL_cleanse(memory, count)
            if capacity > Self.kept { resize(Self.kept) }
        }
        var span = unsafe MutableSpan(_unsafeStart: memory, count: count)
        return try body(&span)
    }

    private func resize(_ count: Int) {
        unsafe memory.deallocate()
        unsafe memory = .allocate(capacity: count)
        unsafe memory.initialize(repeating: 0, count: count)
        capacity = count
    }
}
