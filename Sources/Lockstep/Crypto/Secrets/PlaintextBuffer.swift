internal import CCrypto

/// Memory in which messages are opened before they are made sense of. It is wiped after each use.
///
/// One value serves one thread at a time.
@safe
final class PlaintextBuffer {
    /// More than this is given back after use. Values of 64 KiB have a tag and padding beside them.
    private static let kept = 2 * 65_536

    private var memory: UnsafeMutablePointer<UInt8>
    private var capacity: Int

    init() {
        capacity = 4096
        unsafe memory = .allocate(capacity: capacity)
        unsafe memory.initialize(repeating: 0, count: capacity)
    }

    deinit { unsafe memory.deallocate() }

    /// Lends `count` bytes, whose content is of no meaning, to `body`, and wipes them.
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
