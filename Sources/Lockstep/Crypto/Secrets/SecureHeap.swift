internal import CCrypto

/// OpenSSL's secure heap: locked against swap, excluded from core dumps, and between guard pages.
enum SecureHeap {
    /// Whether the heap is locked; if not, secrets can reach swap.
    static var isLocked: Bool { state == .locked }

    /// Zeroed memory for `count` bytes of secrets.
    static func allocate(_ count: Int) throws(LockstepError) -> UnsafeMutableRawPointer {
        guard state != .missing, let memory = unsafe lockstep_secure_zalloc(max(count, 1)) else {
            throw LockstepError(
                .secureMemoryExhausted, "no secure memory is left for \(counted(count, "more byte")) of secrets",
                hint: "raise the limit on locked memory (ulimit -l), or keep fewer keys open")
        }
        return unsafe memory
    }

    /// Wipes and frees memory from ``allocate(_:)``.
    static func free(_ memory: UnsafeMutableRawPointer, _ count: Int) {
        unsafe lockstep_secure_clear_free(memory, max(count, 1))
    }

    private enum State { case locked, unlocked, missing }

    private static let state: State = {
        _ = ContextMemory.isInstalled
        if CRYPTO_secure_malloc_initialized() == 1 { return .locked }
        switch CRYPTO_secure_malloc_init(size, smallestBlock) {
        case 1: return .locked
        // 2 means that the heap exists, but mlock or the guard pages were refused.
        case 2: return .unlocked
        default: return .missing
        }
    }()

    /// The size, a power of two as OpenSSL requires: 256 KiB, or less if the process can lock less.
    private static var size: Int {
        let lockable = lockstep_lockable_bytes() / 2
        var size = 262_144
        while size > 16_384, size > lockable { size /= 2 }
        return size
    }

    /// The size of a key; OpenSSL splits its heap down to blocks of this size.
    private static var smallestBlock: Int { 32 }
}
