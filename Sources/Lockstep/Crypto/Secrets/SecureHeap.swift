internal import CCrypto

/// OpenSSL's secure heap: locked against swap, left out of core dumps, between guard pages.
enum SecureHeap {
    /// Whether the heap could be locked; where it could not, secrets may reach swap.
    static var isLocked: Bool { state == .locked }

    /// Zeroed memory for `count` bytes of secrets.
    static func allocate(_ count: Int) throws(LockstepError) -> UnsafeMutableRawPointer {
        guard state != .missing, let memory = unsafe lockstep_secure_zalloc(max(count, 1)) else {
            throw LockstepError(
                .secureMemoryExhausted,
                "no secure memory is left for \(count) more bytes of secrets",
                hint: "raise the limit on locked memory (ulimit -l), or hold fewer keys at once")
        }
        return unsafe memory
    }

    /// Wipes and frees what ``allocate(_:)`` gave.
    static func free(_ memory: UnsafeMutableRawPointer, _ count: Int) {
        unsafe lockstep_secure_clear_free(memory, max(count, 1))
    }

    private enum State { case locked, unlocked, missing }

    private static let state: State = {
        _ = ContextMemory.isInstalled
        if CRYPTO_secure_malloc_initialized() == 1 { return .locked }
        switch CRYPTO_secure_malloc_init(size, smallestBlock) {
        case 1: return .locked
        // 2 means that the arena exists but mlock or its guard pages were refused.
        case 2: return .unlocked
        default: return .missing
        }
    }()

    /// A power of two, as OpenSSL demands: 256 KiB, or less where the system lets us lock less.
    private static var size: Int {
        let lockable = lockstep_lockable_bytes() / 2
        var size = 262_144
        while size > 16_384, size > lockable { size /= 2 }
        return size
    }

    /// The size of a key; OpenSSL's arena splits down to this.
    private static var smallestBlock: Int { 32 }
}
